#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR
# What bash completes is what spur's commands understand.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# asked WORD...: what may stand for the last one, one a line.
asked()
{
    # shellcheck disable=SC2016 # the other shell's
    bash --norc -c '. "$0" && COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) && _spur "$1" &&
        printf "%s\n" "${COMPREPLY[@]}"' "$root/scripts/completions/spur.bash" "$spur" "$@" 2>&1 | sort
}

# completes WORDS EXPECTED: all of EXPECTED, a list, and nothing else.
completes()
{
    # shellcheck disable=SC2086 # lists of words
    same "what is completed of '$1'" "$(asked $1 | tr '\n' ' ')" "$2 "
}

# The names of options that are in a help, as its rows begin.
options_of()
{
    grep -oE '^ {2,6}(-[A-Za-z]+)?(, )?(--[a-z-]+)?' | grep -oE -- '-[-a-zA-Z]+' | sort
}

mkdir room && cd room || exit 1
for command in "" report export query check print snapshots view pack unpack doctor estimator; do
    # shellcheck disable=SC2086 # no word where there is none
    same "options of '$command'" "$(asked $command -)" "$("$spur" $command --help | options_of)"
done
[ "$(asked -- | wc -l)" -ge 11 ] || fault "few options of spur"
[ "$(asked check -- | wc -l)" -ge 14 ] || fault "few options of spur check"
for command in $("$spur" help commands); do
    asked "$command" | grep -qx "$command" || fault "$command is not completed"
done
[ "$("$spur" help commands | wc -l)" -ge 17 ] || fault "few commands"
completes "report --min" "--min-percent"
completes "-o out export --to f" "folded"
completes "export --to p" "perfetto"
completes "report --by call" "callpath callpaths"
completes "--min-duration 100" "100us"
completes "help set" "settings"
: >some.otf2 && mkdir dir
completes "check some" "some.otf2"
completes "export --to csv di" "dir"
completes "--output d" "dir"
finish
