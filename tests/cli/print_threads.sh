#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/print
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/expect.sh"

# Any number of threads prints the same bytes, of damaged archives as well. print.sh has archives with
# every kind of record.

# all_same ARCHIVE WORDS...: whatever the number of threads.
all_same() {
    archive=$1
    shift
    "$spur" print --threads 1 "$@" "$archive/traces.otf2" >../one 2>../one.err
    one=$?
    for threads in 2 3 7; do
        "$spur" print --threads "$threads" "$@" "$archive/traces.otf2" >../several 2>../several.err
        same "status of $archive, $*, $threads threads" $? $one
        cmp ../one ../several || fault "$archive, $*, $threads threads: other records"
        cmp ../one.err ../several.err || fault "$archive, $*, $threads threads: other complaints"
    done
}

truth=$("$1/tests/fixture-many" archive 40 1000)
events=$(expr "$truth" : '.* locations, \([0-9]*\) events')
"$1/tests/fixture-many" packed 40 1000 0 zlib >../out 2>../err # a warning that it is compressed
all_same archive
same "events" "$(tail -n +6 ../one | grep -c .)" "$events"
all_same packed -A
all_same archive --timestamps offset --time 100000 400000
all_same archive -L 7
all_same archive --silent

# ---- damaged: what is in front of it, and the complaint ----

cp -r archive cut
head -c 5000 archive/traces/30.evt >cut/traces/30.evt
all_same cut
has "complaint" "$(tail -n 1 ../several)" "==ERROR=="
same "status" $one 1
cp -r archive short
for location in 3 5 31; do
    head -c 100 archive/traces/$location.evt >short/traces/$location.evt
done
all_same short
same "complaints of several locations" "$(grep -c "'spur check .*' tells more" ../one.err)" 1
cp -r archive lacks
rm lacks/traces/17.evt
all_same lacks
cp -r archive swapped
cp archive/traces/3.evt swapped/traces/4.evt
all_same swapped

# Wrong within a record, which those who go over it need not see; the first one is complained of.
cp -r archive wrong
for location in 5 11 21; do
    /usr/bin/python3 -B - "wrong/traces/$location.evt" "$location" <<'END'
import sys
with open(sys.argv[1], "r+b") as file:
    data = bytearray(file.read())
    # A MpiSend of 8 bytes that begins with a number of one byte: now it is one of 7.
    at = data.index(b"\x0e\x08\x01", len(data) // 2 + 60 * int(sys.argv[2]))
    data[at + 2] = 7
    file.seek(0)
    file.write(data)
END
done
all_same wrong
same "status" $one 1
same "complaints" "$(grep -c "MpiSend.*'spur check .*' tells more" ../one.err)" 1

# ---- into a file ----

"$spur" print --threads 1 -A archive/traces.otf2 >../one
echo old >text
run "$spur" print --threads 3 -A -o text archive/traces.otf2
same "a file" "$status:$out:$err" "0::"
cmp ../one text || fault "other text in a file"
mkfifo pipe
cat pipe >piped &
run "$spur" print --threads 3 -A --output=pipe archive/traces.otf2
wait
same "a pipe" "$status:$err" "0:"
cmp ../one piped || fault "other text in a pipe"
run "$spur" print --threads 3 -o text cut/traces.otf2
has "a cut archive, into a file" "$status:$err" "1:"
has "its complaint" "$err" "a timestamp is cut; 'spur check cut/traces.otf2' tells more"
same "lines of it" "$(echo "$err" | wc -l)" 1
same "complaints in the file" "$(grep -c ERROR text)" 0
run "$spur" print -o nowhere/text archive/traces.otf2
has "no folder" "$status:$err" "1:spur: nowhere/text.part-"
run "$spur" print -o /dev/full archive/traces.otf2
same "a full disk" "$status:$err" "1:spur print: /dev/full: No space left on device"
same "parts" "$(find . -name '*.part-*')" ""

# ---- what goes wrong with the work itself ----

run sh -c "\"$spur\" print --threads 3 archive/traces.otf2 >/dev/full"
same "a full disk" "$status:$err" "1:spur print: standard output: No space left on device"
run "$spur" print --threads 0 archive/traces.otf2
has "no thread" "$status:$err" "1:"
has "no thread" "$err" "--threads is 1 to 1024"

finish
