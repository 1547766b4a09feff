#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: reader writer tools/check tools/print tools/report
# shellcheck source-path=SCRIPTDIR
# The largest job that spur is made for: 100,000 locations and 10^6 definitions, opened by processes
# that may have 1024 descriptors and 2 GiB of addresses. The program that writes the archive prints
# what must be found in it. Its 200,000 files take 0.8 GB: in memory, where there is room.
if [ -w /dev/shm ] && [ "$(df -Pk /dev/shm | awk 'NR == 2 { print $4 }')" -gt 2000000 ]; then
    export TMPDIR=/dev/shm
fi
. "$(dirname "$0")/expect.sh"

locations=100000
definitions=1000000
truth=$("$1/tests/fixture-many" archive "$locations" 24 "$definitions")
events=$(expr "$truth" : '.* locations, \([0-9]*\) events')
messages=$(expr "$truth" : '.* events, \([0-9]*\) messages')
defined=$(expr "$truth" : '.* collectives, \([0-9]*\) definitions')
[ "$defined" -ge "$definitions" ] || fault "definitions: $truth"
# shellcheck disable=SC3045 # dash has it
ulimit -n 1024
# shellcheck disable=SC3045
ulimit -v 2097152

# One command reads by one thread and the other one by two, in turns; with ALL=1 both do both, and
# report also does without causes.
one=$((1 + $(date +%s) % 2))
both=${ALL:+1 2}
for threads in ${both:-$one}; do
    run "$spur" check --threads "$threads" archive
    same "check, $threads" "$status:$out:$err" \
        "0:0 faults, 0 remarks in $events events of $locations locations:"
done
for threads in ${both:-$((3 - one))}; do
    [ -z "${ALL-}" ] || {
        run "$spur" report --threads "$threads" --csv --by regions --top 0 archive
        same "report, $threads" "$status:$(echo "$out" | awk -F, '$1 == "MPI_Send" { print $9 }'):$err" "0:$messages:"
    }
    run "$spur" report --threads "$threads" archive
    calls=$(echo "$out" | awk '$1 == "MPI_Send" { gsub(",", "", $7); print $7; exit }')
    same "report with causes, $threads" "$status:$calls:$err" "0:$messages:"
    has "report with causes, $threads" "$out" "100,000 processes"
done

finish
