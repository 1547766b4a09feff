#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: reader tools/print tools/check
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"

# An archive with far more files than a process may have descriptors. What must be found in it, the
# program that writes it has printed: "N locations, N events, N messages, N collectives, ...".
truth=$("$1/tests/fixture-many" archive 3000 100 20000)
events=$(expr "$truth" : '.* locations, \([0-9]*\) events')
messages=$(expr "$truth" : '.* events, \([0-9]*\) messages')
few=$("$1/tests/fixture-many" few 300 100)
few=$(expr "$few" : '.* locations, \([0-9]*\) events')
# shellcheck disable=SC3045 # dash has it
ulimit -n 64

run "$spur" check archive
same "check" "$status:$out:$err" "0:0 faults, 0 remarks in $events events of 3000 locations:"

run "$spur" check few
same "check" "$status:$out:$err" "0:0 faults, 0 remarks in $few events of 300 locations:"

run "$spur" check --threads 2 archive
same "check by two threads" "$status:$out:$err" "0:0 faults, 0 remarks in $events events of 3000 locations:"
run "$spur" report --threads 2 --csv --by regions --top 0 archive
same "report by two threads" "$status:$(echo "$out" | awk -F, '$1 == "MPI_Send" { print $9 }'):$err" "0:$messages:"
"$spur" export --to folded --threads 2 archive 2>../err | grep -c 'MPI_Send' >../out
same "stacks by two threads" "$(cat ../out ../err)" "3000"

run "$spur" report --csv --by regions --top 0 archive
same "report" "$status:$err" "0:"
same "calls of MPI_Send" "$(echo "$out" | awk -F, '$1 == "MPI_Send" { print $9 }')" "$messages"

run "$spur" report --csv --by message_processes --top 0 --no-header archive
same "messages" "$(echo "$out" | awk -F, '{ sent += $2 } END { print NR, sent }')" "3000 $messages"

"$spur" print archive 2>../err | awk '$1 == "MPI_RECV" { n++ } END { print n }' >../out
same "print" "$(cat ../out ../err)" "$messages"

finish
