#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: scripts tools/base docs
# shellcheck source-path=SCRIPTDIR
# The manual pages are sound, and have every command, every option of --help and every setting.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"
pages=$1/share/man

# Prints page $1 as plain text of very long lines.
text_of()
{
    MANWIDTH=1000 LC_ALL=C man --no-hyphenation -P cat -l "$pages/$1" | col -bx
}

count=0
for page in "$pages"/man1/*.1 "$pages"/man3/*.3; do
    count=$((count + 1))
    run mandoc -T lint -W warning "$page"
    same "mandoc about ${page##*/}" "$status:$out$err" "0:"
    run man --warnings -l "$page"
    same "man about ${page##*/}" "$status:$err" "0:"
done
[ "$count" -ge 17 ] || fault "only $count manual pages"

# options_of TEXT: the options that a help names at the start of a line.
options_of()
{
    echo "$1" | grep -E '^ +-' | sed -E 's/  +[^- ].*//' | grep -oE -- '(^|[ ,])--?[A-Za-z][A-Za-z0-9-]*' | tr -d ' ,' | sort -u
}

help=$("$spur" --help)
main=$(text_of man1/spur.1)
for option in $(options_of "$help"); do
    has "spur(1)" "$main" "$option"
done
settings=$("$spur" help settings | grep -oE '^ +SPUR_[A-Z_]+:')
for setting in $settings; do
    has "spur(1)" "$main" "${setting%:}"
done
[ "$(echo "$settings" | wc -l)" -ge 25 ] || fault "few settings in: $settings"
[ "$(options_of "$help" | wc -l)" -ge 14 ] || fault "few options in: $help"

commands=$("$spur" help commands | grep -vx help)
for command in $commands; do
    has "spur(1), see also" "$main" "spur-$command(1)"
    page=$(text_of "man1/spur-$command.1")
    has "name of spur-$command(1)" "$page" "spur-$command - "
    has "synopsis of spur-$command(1)" "$page" "spur $command "
    help=$("$spur" "$command" --help)
    for option in $(options_of "$help"); do
        has "spur-$command(1)" "$page" "$option"
    done
done

header=$(text_of man3/spur.h.3)
grep -oE '\bspur_user_[a-z_]+\(' "$root/include/spur/spur.h" | grep -v agent | sort -u >functions
while read -r function; do
    has "spur.h(3)" "$header" "$function"
done <functions
[ "$(wc -l <functions)" -ge 10 ] || fault "few functions in spur.h"
library=$(text_of man3/libspur-otf2.3)
for path in "$root"/include/otf2/OTF2_*.h; do
    has "libspur-otf2(3)" "$library" "<otf2/${path##*/}>"
done
finish
