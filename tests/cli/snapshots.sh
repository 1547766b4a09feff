#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/snapshots
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
build=$(readlink -f "$1")
. "$(dirname "$0")/expect.sh"
command -v otf2-snapshots >/dev/null || fault "otf2-snapshots is not installed"
export SPUR_VERBOSE=0

/usr/bin/python3 "$root/tests/fixtures/make.py" "$build/tests" archives chunks small \
    empty >/dev/null || fault "there are no archives"
record()
{
    program=$1
    shift
    "$spur" -o "archives/$program" "$@" -n 3 "$build/tests/programs/$program" >/dev/null 2>../err ||
        fault "$program: $(cat ../err)"
}
for program in any_source collectives persistent; do
    record $program.mpich mpirun.mpich
done
record ring.openmpi mpirun.openmpi --oversubscribe

# Both tools do the same to copies of an archive: output, errors, status, and every file.
compare()
{
    archive=$1
    shift
    rm -rf ours theirs
    cp -r "archives/$archive" ours || fault "no $archive"
    cp -r ours theirs
    (cd theirs && otf2-snapshots "$@") >../out 2>../err
    should="$?:$(sed 's/otf2-snapshots/spur snapshots/g' ../out ../err)"
    (cd ours && "$spur" snapshots "$@") >../out 2>../err
    is="$?:$(cat ../out ../err)"
    same "$archive: snapshots $*" "$is" "$should"
    diff -r ours theirs >../differences || fault "$archive: snapshots $*: $(cat ../differences)"
}

for archive in chunks any_source.mpich collectives.mpich persistent.mpich ring.openmpi; do
    compare "$archive" traces.otf2
    compare "$archive" --verbose -n 5 traces.otf2
    compare "$archive" -n 200 traces.otf2
    compare "$archive" --progress --verbose traces.otf2
done
for words in '--number 0' '-p 100' '-p 20000' '-n 3 -p 5000' '-n 3 -p 50000' '-n 0 -p 5000' \
    '-p 100000000000000' '-n 1 -n 7'; do
    # shellcheck disable=SC2086 # words
    compare chunks --verbose $words traces.otf2
done
run otf2-print ours/traces.otf2
has "snapshots that otf2-print finds" "$out" "SNAPSHOT_START"

# Where times are large the reference does not come to an end.
rm -rf ours && cp -r archives/ring.openmpi ours
run "$spur" snapshots --verbose -n 0 ours/traces.otf2
same "no snapshots" "$status:$out:$err" "0:=== OTF2 Snapshots ===:"

# Those that an archive has are replaced.
(cd ours && "$spur" snapshots -n 2 traces.otf2 && "$spur" snapshots -n 4 traces.otf2) >../out
compare chunks -n 4 traces.otf2
(cd ours && "$spur" snapshots -n 2 traces.otf2) >../out
(cd theirs && otf2-snapshots -n 2 traces.otf2) >../out
diff -r ours theirs || fault "the second time differs"

# ---- usage ----

# shellcheck disable=SC2086 # words
for words in --foo '--foo traces.otf2' '-- traces.otf2' 'traces.otf2 traces.otf2' '' --verbose \
    'x -V' 'traces.otf2 -h' -n -p --number '-n traces.otf2' '-n x traces.otf2' \
    '-n -1 traces.otf2' '-n 3x traces.otf2' '-n 0x10 traces.otf2' '-p x traces.otf2' \
    '-n 99999999999999999999 traces.otf2' '-n 3' traces.def; do
    case $words in --foo) continue ;; esac # the reference crashes
    compare small $words
done
compare small -n '' traces.otf2
for option in -V --version; do
    run "$spur" snapshots $option
    same "$option" "$status:$out:$err" \
        "0:spur snapshots: version $("$spur" --version | sed 's/.* //'):"
done
for option in -h --help; do
    run "$spur" snapshots $option
    same "status of $option" "$status:$err" "0:"
    has "$option" "$out" "usage: spur snapshots"
done

# ---- what the reference does not survive, or does not notice ----

# refuse WHAT FAULT: the archive, after the command `break`, is refused, and its anchor is as before.
refuse()
{
    cksum ours/traces.otf2 >../before 2>&1
    run "$spur" snapshots ours/traces.otf2
    same "status for $1" "$status" 1
    has "errors for $1" "$err" "$2"
    same "lines for $1" "$(echo "$err" | wc -l)" 1
    cksum ours/traces.otf2 >../after 2>&1
    cmp ../before ../after || fault "$1: the archive is changed"
    rm -rf ours && cp -r archives/small ours
}
for wrong in nowhere --foo; do
    run "$spur" snapshots $wrong
    has "errors for $wrong" "$status:$err" "1:spur snapshots: missing anchorfile"
done
rm -rf ours && cp -r archives/empty ours
refuse "no locations" "has no locations"
rm ours/traces.otf2
refuse "no anchor file" "spur: ours/traces.otf2: cannot be opened: File or directory does not exist"
head -c 50 archives/small/traces.otf2 >ours/traces.otf2
refuse "half an anchor file" "spur: ours/traces.otf2: no anchor file that can be read (50 bytes)"
rm ours/traces.def
refuse "no definitions" "spur: ours/traces.def: cannot be opened: File or directory does not exist"
head -c 200 archives/small/traces.def >ours/traces.def
refuse "half of the definitions" "spur: ours/traces.def: byte"
rm ours/traces/1.evt
refuse "no events" "spur: ours/traces/1.evt: cannot be opened"
rm -rf ours && cp -r archives/chunks ours
head -c 300000 archives/chunks/traces/1.evt >ours/traces/1.evt
refuse "half of the events" "spur: ours/traces/1.evt, offset"

# ---- links: nothing is written through them ----

rm -rf ours && cp -r archives/small ours && cp -r ours/traces elsewhere && rm -r ours/traces
ln -s ../elsewhere ours/traces
refuse "a linked folder" "spur: ours/traces: is a symbolic link"
same "what the link leads to" "$(diff -r elsewhere archives/small/traces)" ""
for name in traces/0.snap traces.otf2; do
    rm -rf ours && cp -r archives/small ours && rm -f ours/$name
    cp archives/small/traces.otf2 elsewhere/file && ln -s ../elsewhere/file ours/$name
    case $name in traces/*) rm ours/$name && ln -s ../../elsewhere/file ours/$name ;; esac
    "$spur" snapshots ours/traces.otf2 >/dev/null 2>&1
    cmp -s archives/small/traces.otf2 elsewhere/file || fault "$name: written through a link"
done
finish
