#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/estimator
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"
command -v otf2-estimator >/dev/null || fault "otf2-estimator is not installed"

# Events that an older reference does not list.
newer='MpiProbe|MpiMrecv|MpiImrecvRequest|MpiImrecv'
echo 'list events' | otf2-estimator | grep -qxE "$newer" && newer=

# What the reference answers to these commands, and how it ends, with our name for it.
compare()
{
    printf %b "$1" | otf2-estimator >../out 2>../err
    should="$?:$(cat ../out):$(sed 's/otf2-estimator/spur estimator/g' ../err)"
    printf %b "$1" >../in
    run "$spur" estimator <../in
    [ -z "$newer" ] || out=$(echo "$out" | grep -vxE "$newer")
    same "answer to '$1'" "$status:$out:$err" "$should"
}

for what in definitions events types; do
    compare "list $what\n"
done
run "$spur" estimator <<'END'
list events
END
same "events of 3.2" "$(echo "$out" | tail -4 | tr '\n' ' ')" "MpiProbe MpiMrecv MpiImrecvRequest MpiImrecv "
definitions=$(otf2-estimator <<'END'
list definitions
END
)
events=$(echo 'list events' | otf2-estimator | sed 's/ .*//' | head -81)
types=$(echo 'list types' | otf2-estimator)
same "definitions, events and types" \
    "$(echo "$definitions" | wc -l) $(echo "$events" | wc -l) $(echo "$types" | wc -l)" "15 81 25"

# Each event before and after each definition is limited to 0 (the special case), 1, ...
every_event=
for event in $events DefChunkSize; do
    every_event="${every_event}get $event 3\n"
done
compare "$every_event"
for count in 0 1 256 257 65537 4294967296 -1 0400 9z; do
    for definition in $definitions; do
        compare "set $definition $count\n$every_event"
    done
done
for type in $types; do
    compare "get AttributeList $type\nget AttributeList $type UINT8  $type\n"
    compare "set Attribute 9\nset String 300\nget AttributeList $type  $type\n"
done
compare "get AttributeList\nget AttributeList $(echo "$types" | tr '\n' ' ')\n"
for count in 0 1 127 255 256 300 -1 0x10 x 1y 4294967297; do
    compare "get Metric $count\nget ProgramBegin $count\n"
done

# Lines as people type them, and what is wrong with some.
for line in '' '\n' '  \n' exit 'exit\n' 'exit now\nget Enter\n' 'quit\n' 'list\n' 'list foo\n' \
    'list events x\n' 'list  \ttypes\n' 'LIST events\n' ' get Enter\n' 'get\n' 'get \n' \
    'get Foo\nget Enter\n' 'get Enter\nget Foo\n' 'get\tEnter\n' '\tget Enter  3 \n' \
    'get Enter' 'get Enter\r\n' 'get\vEnter\n' 'get enter\n' 'set\n' 'set Region\n' 'set Region \n' \
    'set Foo\n' 'set Foo 4\n' 'set Region 4 5\nget Enter\n' 'get Metric\n' 'get Metric  \n' \
    'get ProgramBegin\n' 'get Metric 4 5\n' 'get AttributeList FOO\n' \
    'get AttributeList UINT8 FOO\n' 'get AttributeList NONE\nget AttributeList NONE UINT8 NONE\n' 'get Timestamp 3\n' '#\n'; do
    compare "$line"
done

# An answer comes at once, not when the input ends.
mkfifo ../ask ../answer
"$spur" estimator <../ask >../answer &
exec 3>../ask 4<../answer
echo 'get Timestamp' >&3
read -r answer <&4
same "the answer in a dialogue" "$answer" "Timestamp 9"
exec 3>&- 4<&-
wait $!
same "status after a dialogue" $? 0

for option in -V --version; do
    run "$spur" estimator $option
    same "$option" "$status:$out:$err" "0:spur estimator: version $("$spur" --version | sed 's/.* //'):"
done
for option in x -x --foo --vers -Vh -- ''; do
    should=$(otf2-estimator "$option" 2>&1 | sed 's/otf2-estimator/spur estimator/g')
    run "$spur" estimator "$option"
    same "option '$option'" "$status:$out:$err" "1::$should"
done
for option in -h --help '-h x'; do
    # shellcheck disable=SC2086 # two words
    run "$spur" estimator $option
    same "status of $option" "$status:$err" "0:"
    has "$option" "$out" "usage: spur estimator"
done
# What the help shows is so.
example=$(sed -n "s/^ *\$ \\(printf .*\\) | spur estimator$/\\1/p" ../out)
same "the example in the help" "$(eval "$example" | "$spur" estimator)" "$(printf 'Enter 3\nMetric 4 48')"
finish
