#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/export
# shellcheck source-path=SCRIPTDIR
here=$(readlink -f "$(dirname "$0")")
build=$(readlink -f "$1")
. "$here/expect.sh"

# Any number of threads exports the same bytes, of damaged archives as well; exports.py says which are
# right. ranks.py does the same with the ranks of a job.

# all_same ARCHIVE FORMAT WORDS...: whatever the number of threads.
all_same() {
    archive=$1
    format=$2
    shift 2
    rm -rf one
    "$spur" export --to "$format" --threads 1 "$@" -o one "$archive" 2>../one.err
    one=$?
    for threads in $numbers; do
        rm -rf several
        "$spur" export --to "$format" --threads "$threads" "$@" -o several "$archive" 2>../several.err
        same "status of $archive, $format $*, $threads threads" $? $one
        diff -rq one several >&2 || fault "$archive, $format $*, $threads threads: other bytes"
        cmp ../one.err ../several.err || fault "$archive, $format $*, $threads threads: other complaints"
    done
}

# Some slices of events, so that each of the workers has one or waits for others'.
numbers="2 3 7"
truth=$("$build/tests/fixture-many" archive 10 5000)
events=$(expr "$truth" : '.* locations, \([0-9]*\) events')
"$build/tests/fixture-many" packed 10 5000 0 zlib >../out 2>../err # a warning that it is compressed
cp -r archive cut
head -c 5000 archive/traces/7.evt >cut/traces/7.evt
cp -r archive lacks
rm lacks/traces/3.evt
cp -r archive swapped
cp archive/traces/3.evt swapped/traces/4.evt
for format in perfetto chrome csv sqlite folded; do
    all_same archive "$format"
    for name in packed cut lacks swapped; do
        numbers=$((2 + $(date +%N | tail -c 3 | sed 's/^0//') % 6))
        all_same $name "$format"
    done
    numbers="2 3 7"
done
run "$spur" export --to folded --threads 4 -o several cut
has "complaint about a part" "$status:$err" "1:spur: cut/traces/7.evt"
all_same archive chrome --time 1ms..2ms --min-duration 2us
all_same archive csv --location 0,7 --table call
all_same archive folded --location 'rank 1' --time ..20ms

# Records of every kind, and what is drawn.
/usr/bin/python3 -B "$here/report_archives.py" known || fault "no archives"
numbers=3
for name in known/*; do
    for format in perfetto csv folded; do
        all_same "$name" $format
    done
done
all_same known/sampled folded --weight samples

# ---- the database of questions ----

for threads in 1 3; do
    run "$spur" query --rebuild --threads $threads archive "SELECT value FROM archive WHERE key = 'events'"
    same "events, $threads threads" "$status:$err:$(echo "$out" | tail -n 1)" "0::$events"
    mv "$("$spur" query --path archive)" base$threads
done
cmp base1 base3 || fault "another database by several threads"

# ---- what goes wrong with the work itself: one line, no success, an end ----

for kilobytes in 40000 60000; do
    run sh -c "ulimit -v $kilobytes; exec \"$spur\" export --to chrome --threads 3 -o few archive"
    [ "$status" = 0 ] && continue # it had enough
    same "lines with $kilobytes KB" "$(echo "$err" | wc -l)" 1
done
run sh -c "\"$spur\" export --to chrome --threads 3 archive >/dev/full"
same "a full disk" "$status:$err" "1:spur: standard output: No space left on device"
# A file may have 64 blocks.
for format in chrome sqlite csv; do
    run sh -c "ulimit -f 64; trap '' XFSZ; exec \"$spur\" export --to $format --threads 3 -o full archive"
    same "status of a file that is too large, $format" "$status" 1
    same "lines about it, $format" "$(echo "$err" | wc -l)" 1
done
same "left over" "$(find . -name '*.part-*' -o -name 'full*')" ""
for command in export query; do
    run "$spur" $command --threads 0 archive
    same "no thread" "$status:$err" "2:spur: --threads is 1 to 1024; see 'spur $command --help'"
done

finish
