#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/base scripts
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
    sed -nE 's/^ {2,6}(-.*)/\1/p' | sed 's/  .*//' | grep -oE -- '(^|, )-[-a-zA-Z0-9]+' | sed 's/^, //' | sort
}

mkdir room && cd room || exit 1
for command in "" $("$spur" help commands); do
    # Its words are commands.
    [ "$command" != help ] || continue
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
completes "--polls a" "all auto"
completes "help set" "settings"
completes "--io posix,m" "posix,meta"
completes "--cuda posix,f" "posix,fill"
completes "--levelzero ar" "argument"
completes "--follow no" "none"
completes "--container s" "sion"
completes "report --by mpi,call" "mpi,callpath mpi,callpaths"
completes "report --color a" "always auto"
completes "check --disable file-c" "file-cut"
# A number is nobody's to say: no command, and no file.
for words in --unwind "pack --containers"; do
    # shellcheck disable=SC2086 # a list of words
    same "what is completed behind '$words'" "$(asked $words "")" ""
done
: >some.otf2 && mkdir dir
completes "check some" "some.otf2"
completes "export --to csv di" "dir"
completes "--output d" "dir"
completes "--local d" "dir"
completes "--filter some" "some.otf2"
completes "snapshot -o d" "dir"
completes "print -o some" "some.otf2"
completes "report --diff some" "some.otf2"

# Processes: whoever is alive can be attached to; who is recorded, detached from and switched.
sleep 60 &
alive=$!
# shellcheck disable=SC2016 # the inner shell expands
"$spur" -q -o recording sh -c 'echo $$ >number; exec sleep 60' &
until [ -s number ] && recorded=$(cat number) && grep -q sleep "/proc/$recorded/comm" &&
    grep -q /libspur.so "/proc/$recorded/maps"; do sleep 0.05; done
for pid in $alive $recorded; do
    completes "attach $pid" "$pid"
done
for command in detach on off snapshot; do
    completes "$command $alive" ""
    completes "$command $recorded" "$recorded"
done
completes "on di" "dir"
completes "detach di" ""
kill $alive "$recorded"
finish
