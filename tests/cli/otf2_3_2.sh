#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/print tools/check reader writer
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"
tests=$1/tests

# ---- archives that the reference of 3.2 wrote, and the texts of its otf2-print ----

for name in newevents mprobe groups thumbs; do
    tar xf "$root/tests/golden/otf2-3.2/$name.tar.xz"
    anchor=$(echo $name/*.otf2)
    "$spur" print -A "$anchor" >"$name.txt" || fault "$name cannot be printed"
    cmp "$name.txt" "$root/tests/golden/otf2-3.2/$name.txt" || fault "another text of $name"
    for threads in 1 3; do
        "$spur" print --threads $threads -A "$anchor" | cmp - "$name.txt" || fault "$threads threads print otherwise"
    done
    case $(otf2-print --version) in
    *" 3.0"*)
        otf2-print -A "$anchor" >../theirs 2>/dev/null
        "$spur" print --as 3.0 -A "$anchor" >../ours 2>/dev/null
        cmp ../ours ../theirs || fault "another text of 3.0 of $name"
        ;;
    esac

    # Through the public readers and writers all bytes stay, but for the trace id.
    rm -rf again
    "$tests/fixture-again" "$anchor" again >"$name.told" 2>../err || fault "$name: $(cat ../err)"
    /usr/bin/python3 -B "$root/tests/cli/otf2_3_2.py" "$anchor" again "$name.told" || fault "$name is not the same again"
done
"$spur" print --silent --system-tree groups/groups.otf2 >/dev/null
cmp groups/groups.SystemTree.dot "$root/tests/golden/otf2-3.2/groups.SystemTree.dot" || fault "another system tree"
run "$spur" print -G --system-tree groups/groups.otf2
has "where the drawing is" "$out" "dot -Tsvg 'groups/groups.SystemTree.dot' -o 'groups/groups.SystemTree.svg'"

# ---- drawn archives: a line has the seed, and digests of the text and the drawing by otf2-print 3.2 ----

digest()
{
    sha256sum | cut -c1-16
}
case $(otf2-print --version) in
*" 3.0"*) # a newer reference makes other archives of the seeds
    while read -r seed text drawing; do
        "$tests/fixture-doubtful" drawn "$seed" || fault "no archive of seed $seed"
        TZ=UTC "$spur" print -A -M -C drawn/traces.otf2 2>/dev/null | grep -v '^Trace identifier' >../text
        same "the text of seed $seed" "$(digest <../text)" "$text"
        "$spur" print --silent --system-tree drawn/traces.otf2 >/dev/null 2>&1
        same "the drawing of seed $seed" "$(digest <drawn/traces.SystemTree.dot)" "$drawing"
        rm -r drawn
    done <"$root/tests/golden/otf2-3.2/drawn"
    ;;
esac

# ---- ranks that are location groups, in another order ----

run "$spur" check mprobe/traces.otf2
same "faults of a right archive" "$status:${out%%,*}" "0:0 faults"
run "$spur" check groups/groups.otf2
same "faults of ranks" "$(echo "$out" | grep -c '^fault [^c]\|^fault comm')" 0
run "$spur" report groups/groups.otf2
has "messages of rank 1" "$out" "  rank 1  rank 0         2  20 B "
has "messages of rank 0" "$out" "  rank 0  rank 1         2  20 B "

# ---- a location without its file of events ----

rm groups/groups/20.evt
run "$spur" print groups/groups.otf2
same "events of the other locations" "$status:$(echo "$out" | grep -c '^[A-Z_]* *[0-9]* *1[0-9]*  ')" "1:59"
same "lines about the missing file" "$(echo "$err" | grep -c 'groups/groups/20.evt: cannot be opened')" 1
run "$spur" report groups/groups.otf2
has "the missing file of a report" "$status:$err" "groups/groups/20.evt: cannot be opened"
run "$spur" check groups/groups.otf2
has "the missing file of a check" "$status:$out" "fault file-missing: groups/20.evt: is missing"
finish
