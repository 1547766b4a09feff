#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# recorded.sh NATIVE CROSS PROGRAM...: both processors record the same programs. Each finds both archives true,
# and prints the same of them. Their definitions are equal, in any order, but for what describes the run and not
# the program: times, numbers of processes, what the process used, where it ran, and addresses. The first program
# is timed by the processor's counter, the others by the system's clock. See scripts/cross.
set -eu
native=$(readlink -f "$1") cross=$(readlink -f "$2")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
compared=0
shift 2
clock=tsc

fault()
{
    echo "recorded.sh: $1" >&2
    failed=$((failed + 1))
}

folder_of()
{
    if [ "$1" = native ]; then echo "$native"; else echo "$cross"; fi
}

# Strings are numbered as threads meet them. How often threads find a lock taken is another number in each run, and a
# thread that joins another one may come when that has just paused the recording.
definitions()
{
    events=
    case $program in thread_locks | user_fixed) events='s/# Events: [0-9]*//' ;; esac
    sed -e 's/ <[0-9]*>//g' -e "$events" -e "s/Process [0-9]* (/Process (/g" -e '/^CLOCK_PROPERTIES/d' -e '/^STRING /d' \
        -e '/Name: "\(PID\|PPID\|START\|END_TIME\|PLACEMENT\|RESOURCE_USAGE\|SPUR::CLOCK\|SPUR::LOCK::[0-9]*\)"/d' \
        -e 's/^\([A-Z_]*\) *[0-9]* /\1 /' | sort
}

for program; do
    mkdir "$program"
    for writer in native cross; do
        build=$(folder_of $writer)
        # By the same name, since the archive tells it.
        cp "$build/tests/programs/$program" app
        status=0
        SPUR_CLOCK=$clock "$build/bin/spur" -o "$program/$writer" ./app >"$program/$writer.out" 2>&1 || status=$?
        [ -e "$program/$writer/traces.otf2" ] || {
            cat "$program/$writer.out" >&2
            fault "$program made no archive ($writer)"
            continue
        }
        echo "$status" >"$program/$writer.status"
        for reader in native cross; do
            tools=$(folder_of $reader)
            "$tools/bin/spur" check --strict "$program/$writer" >checked 2>&1 ||
                fault "$program of $writer is not true for $reader: $(tail -n 1 checked)"
            "$tools/bin/spur" print -A "$program/$writer" >"$program/$writer.$reader" 2>&1
        done
        cmp "$program/$writer.native" "$program/$writer.cross" || fault "$program of $writer reads otherwise"
        compared=$((compared + 1))
        "$native/bin/spur" print -G "$program/$writer" | definitions >"$program/$writer.definitions"
    done
    cmp "$program/native.status" "$program/cross.status" || fault "$program ends otherwise"
    lines=$(wc -l <"$program/native.definitions")
    [ "$lines" -gt 20 ] || fault "$program has $lines definitions only"
    diff "$program/native.definitions" "$program/cross.definitions" || fault "$program has other definitions"
    # Ticks are nanoseconds, unless the counter makes them.
    used=tsc
    ! "$native/bin/spur" print -G "$program/cross" | grep -q '^CLOCK_PROPERTIES .*: 1000000000,' || used=monotonic
    [ $used = $clock ] || fault "$program is timed by the clock $used and not by $clock"
    clock=monotonic
    compared=$((compared + 1))
done
echo "recorded.sh: $compared compared, $failed differ"
[ "$failed" = 0 ]
