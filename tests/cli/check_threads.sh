#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/check
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# Any number of threads finds the same, in the same words and order; check_faults.py has each fault
# alone, and run_case.py what spur records. Here are many findings of many locations.

# all_same ARCHIVE WORDS...: whatever the number of threads.
all_same() {
    archive=$1
    shift
    run "$spur" check --threads 1 "$@" "$archive"
    one="$status:$out:$err"
    for threads in 2 3 7; do
        run "$spur" check --threads "$threads" "$@" "$archive"
        same "$archive, $*, $threads threads" "$status:$out:$err" "$one"
    done
}

truth=$("$1/tests/fixture-many" archive 40 4000)
"$1/tests/fixture-many" packed 40 4000 0 zlib >../out 2>../err # a warning that it is compressed
for name in archive packed; do
    all_same $name
    all_same $name --json --remarks
done
run "$spur" check --threads 5 archive
events=$(expr "$truth" : '.* locations, \([0-9]*\) events')
same "a good archive" "$status:$out:$err" "0:0 faults, 0 remarks in $events events of 40 locations:"
run "$spur" check archive
same "as many threads as there are processors" "$status:$out:$err" \
    "0:0 faults, 0 remarks in $events events of 40 locations:"

# Who reads both ends of a message tells nobody: each event would have 8 bytes of notes else.
run "$spur" check --threads 2 --verbose archive
bytes=$(expr "$err" : '.* have sent notes: \([0-9]*\) bytes')
case ${bytes:-0} in
0) fault "no notes: $err" ;;
*) [ "$bytes" -lt $((2 * events)) ] || fault "notes: $err" ;;
esac

# ---- ranks that pause, and messages whose two ends one worker reads or two ----

$python -B "$root/tests/cli/check_pauses.py" "$1" || fault "pauses"

# ---- much is wrong: streams of other locations, of nobody, and with an end too early ----

cp -r archive wrong
cp archive/traces/3.evt wrong/traces/4.evt
cp archive/traces/9.evt wrong/traces/21.evt
head -c 5000 archive/traces/30.evt >wrong/traces/30.evt
rm wrong/traces/17.evt
for words in "" --all "--limit 1" "--json --all --remarks" "--limit 3 --strict" --quiet; do
    # shellcheck disable=SC2086
    all_same wrong $words
done
run "$spur" check --threads 3 --all wrong
same "status" "$status" 1
has "a finding" "$out" "17.evt"

# ---- what goes wrong with the work itself: one line, no success, an end ----

for kilobytes in 16000 24000 40000; do
    run sh -c "ulimit -v $kilobytes; exec \"$spur\" check --threads 3 archive"
    [ "$status" = 0 ] && continue # a small program had enough
    same "lines with $kilobytes KB" "$(echo "$err" | wc -l)" 1
    same "status with $kilobytes KB" "$status" 2
done

# Files that become shorter while they are read.
"$1/tests/fixture-many" shrinks 16 60000 >../out
"$spur" check --threads 4 shrinks >../out 2>../err &
for file in shrinks/traces/*.evt; do
    : >"$file"
done
wait $!
status=$?
case $status in
0 | 1) ;;
*) fault "files become shorter: status $status $(cat ../out ../err)" ;;
esac

run "$spur" check --threads 0 archive
same "no thread" "$status:$err" \
    "2:spur: --threads is 1 to 1024; see 'spur check --help'"

finish
