#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# commands.sh NATIVE CROSS [few]: what the commands say and write of an archive is the same on both processors,
# byte for byte. The archives are those of the library, of both processors, and what the agents have recorded:
# of this machine, and of the other processor, if it has an agent. few: by few commands, of this machine's agent
# only. See scripts/cross.
set -eu
native=$(readlink -f "$1") cross=$(readlink -f "$2") few=${3-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
failed=0
compared=0
least=300
[ ! "$few" ] || least=10

fault()
{
    echo "commands.sh: $1" >&2
    failed=$((failed + 1))
}

# WRITER|NAME|SETTINGS|COMMAND, @ for the folder of the programs.
recordings()
{
    cat <<'END'
native|locks|SPUR_MEMORY=1 SPUR_SITES=on SPUR_SAMPLE=200|@/thread_locks
END
    [ "$few" ] || cat <<'END'
native|user|SPUR_SITES=on|@/user_fixed
native|tasks|SPUR_SITES=on|@/gomp_tasks
native|halo||/usr/bin/mpirun.mpich -n 2 @/halo.mpich
native|collectives|SPUR_SITES=on|/usr/bin/mpirun.mpich -n 2 @/collectives.mpich
native|rma||/usr/bin/mpirun.mpich -n 2 @/rma.mpich
native|patterns||/usr/bin/mpirun.mpich -n 2 @/file_patterns.mpich
native|files|SPUR_IO=all|@/io_bytes.plain x
native|devices||@/cuda_all all
native|crash|SPUR_MEMORY=on|@/thread_crashes
END
    [ "$few" ] || [ ! -x "$cross/bin/spur" ] || cat <<'END'
cross|locks|SPUR_MEMORY=1 SPUR_SITES=on|@/thread_locks
cross|user|SPUR_SITES=on|@/user_fixed
cross|tasks||@/gomp_tasks
END
}

# PROGRAM|WORDS, @ for the archive. What it says, and what it writes where it runs, is compared.
readings()
{
    echo 'check|--all --strict @'
    [ "$few" ] || cat <<'END'
check|--json --own @
print|-A @
print|-M -C -T --show-thumbnail-samples @
print|-G --system-tree @
print|--unwind-calling-context --timestamps offset @
report|--width 120 @
report|--wide --top 0 --by crashes,stands,region,sites,callpath,process,thread,placement,mpi,messages,sizes @
report|--wide --top 0 --by collectives,causes,critical,iterations,openmp,locks,metrics,io,devices,memory,cost @
report|--json @
report|--json --diff @ @
view|-o page.html @
view|--text --width 120 @
export|--to folded @
export|--to chrome @
export|--to perfetto @
export|--to csv -o tables @
marker|@
END
}

# PROGRAM|WORDS: what these make of an archive, or of what spur has left, is compared.
changes()
{
    [ "$few" ] || cat <<'END'
snapshots|-n 7 --verbose @
marker|--add-def group category HIGH @
unpack|@
END
    echo 'pack|@'
}

tools_of()
{
    if [ "$1" = native ]; then echo "$native"; else echo "$cross"; fi
}

# run SIDE PROGRAM WORDS ARCHIVE: in a folder that has the same name on both sides.
run()
{
    status=0
    # shellcheck disable=SC2046 # a list of words
    (cd made && "$(tools_of "$1")/libexec/spur/spur-$2" $(echo "$3" | sed "s|@|$4|g")) >made/said 2>&1 || status=$?
    echo "$status" >made/status
}

# A crash on both sides is none the better for being the same.
same()
{
    compared=$((compared + 1))
    if ! diff -r made.native made.cross >differences; then
        fault "$1 differs: $(head -n 6 differences | cut -c 1-200)"
    elif ! grep -q '^[01]$' made.native/status; then
        fault "$1 ends with $(cat made.native/status): $(tail -n 2 made.native/said)"
    fi
    rm -rf made.native made.cross
}

read_by_both()
{
    while IFS='|' read -r program words <&3; do
        for side in native cross; do
            mkdir made
            run $side "$program" "$words" "../$1"
            mv made "made.$side"
        done
        same "spur $program $words of $1"
    done 3<rows.readings
}

# change_by_both ARCHIVE PROGRAM WORDS. An archive has an identity, by which no two are the same. In the other byte
# order what an archive tells is the same, and no more.
change_by_both()
{
    for side in native cross; do
        mkdir made
        cp -r "$1" made/archive
        run $side "$2" "$3" archive
        "$native/libexec/spur/spur-print" -A made/archive 2>&1 | sed '/^Trace identifier/d' >made/printed
        rm -f made/archive/traces.otf2
        [ $order = same ] || rm -rf made/archive
        mv made "made.$side"
    done
    same "spur $2 $3 of $1"
}

# record WRITER NAME SETTINGS COMMAND
record()
{
    status=0
    build=$(tools_of "$1")
    # shellcheck disable=SC2046,SC2086 # lists of words
    env $3 "$build/bin/spur" -q -o "$1/$2" $(echo "$4" | sed "s|@|$build/tests/programs|g") >recorded 2>&1 </dev/null ||
        status=$?
    [ -e "$1/$2/traces.otf2" ] || fault "$2 made no archive ($1): status $status: $(tail -n 2 recorded)"
}

# leave WRITER: a run that is killed, and nobody makes its archive. The frequency of another clock would be measured when
# the archive is made, and places in code have no names under qemu, which cannot start what finds them.
leave()
{
    build=$(tools_of "$1")
    SPUR_CLOCK=monotonic SPUR_PTHREAD=all SPUR_DIR=$1/left LD_PRELOAD=$build/lib/libspur.so \
        "$build/tests/programs/serial_killed" >recorded 2>&1 || :
    [ -d "$1/left" ] || fault "nothing is left of what was killed ($1): $(tail -n 2 recorded)"
}

readings >rows.readings
changes >rows.changes
recordings >rows.recordings
for writer in native cross; do
    build=$(tools_of $writer)
    mkdir -p $writer $writer/contained
    "$build/tests/cross-archive" $writer
    SION=1 "$build/tests/cross-archive" $writer/contained
    mv $writer/contained/full $writer/in_containers
    # Of these archives.sh reads all.
    rm -rf $writer/contained $writer/chunks
    [ ! "$few" ] || rm -rf $writer/many $writer/full $writer/silent $writer/empty
done
order=same
cmp -s -n 2 native/small/traces/0.evt cross/small/traces/0.evt || order=other
while IFS='|' read -r writer name settings command <&3; do
    record "$writer" "$name" "$settings" "$command"
done 3<rows.recordings

for anchor in native/*/traces.otf2 cross/*/traces.otf2; do
    archive=${anchor%/traces.otf2}
    read_by_both "$archive"
    while IFS='|' read -r program words <&4; do
        change_by_both "$archive" "$program" "$words"
    done 4<rows.changes
done
for writer in native cross; do
    if [ -x "$cross/libexec/spur/spur-finish" ]; then
        leave $writer
        change_by_both $writer/left finish @
    fi
done
echo "commands.sh: $compared compared, $failed differ"
[ "$failed" = 0 ] && [ "$compared" -ge "$least" ]
