#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck source-path=SCRIPTDIR
# Commands answer --help on stdout, and a wrong option on stderr, as docs/tools.md says.
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

for command in report check print marker snapshots estimator otf2-config; do
    run "$spur" $command --help </dev/null
    same "status of $command --help" "$status:$err" "0:"
    [ "$(echo "$out" | wc -l)" -ge 10 ] || fault "$command --help is no help: $out"
    case $out in [Uu]sage:*) ;; *) fault "$command --help: no usage line" ;; esac
    has "$command --help" "$out" "spur $command"
    grep -q "^## $command\$" "$root/docs/tools.md" || fault "$command is not in docs/tools.md"
    # What the page says of options is in the help.
    for option in $(sed -n "/^## $command\$/,/^## /p" "$root/docs/tools.md" | grep -o '`--*[A-Za-z][a-z-]*' |
        tr -d '`'); do
        has "$command --help" "$out" "$option"
    done

    case $command in report | check) wrong=2 ;; *) wrong=1 ;; esac
    run "$spur" $command --no-such-option nowhere.otf2 </dev/null
    same "status of a wrong option of $command" "$status:$out" "$wrong:"
    first=$(echo "$err" | head -n 1)
    case $first in
    spur*) ;;
    *) fault "$command does not say that it is the one who complains: '$first'" ;;
    esac
    [ "$command" = estimator ] && continue
    run "$spur" $command nowhere.otf2 </dev/null
    [ "$status" -ne 0 ] || fault "$command takes an archive that is not there"
    [ -n "$err" ] || fault "$command says nothing of an archive that is not there"
done
finish
