#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/unpack
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# An archive by the library as its users have it, plain or compressed.
cat >write.c <<'END'
#include <otf2/otf2.h>
#include <stdlib.h>
static OTF2_FlushType yes(void *u, OTF2_FileType t, OTF2_LocationRef l, void *c, bool f)
{
    (void)u, (void)t, (void)l, (void)c, (void)f;
    return OTF2_FLUSH;
}
int main(int argc, char **argv)
{
    OTF2_FlushCallbacks flush = {yes, NULL};
    OTF2_Archive *a = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 262144, 262144,
        OTF2_SUBSTRATE_POSIX, argc > 2 ? OTF2_COMPRESSION_ZLIB : OTF2_COMPRESSION_NONE);
    if (!a)
        return 1;
    OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(a);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    OTF2_Archive_GetDefWriter(a, 0);
    for (int i = 0; i < 100000; i++)
        OTF2_EvtWriter_Enter(w, NULL, i, 0), OTF2_EvtWriter_Leave(w, NULL, i, 0);
    OTF2_GlobalDefWriter_WriteClockProperties(g, 1000, 0, 200000, OTF2_UNDEFINED_TIMESTAMP);
    OTF2_GlobalDefWriter_WriteString(g, 0, "name");
    OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(g, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(g, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 200000, 0);
    OTF2_GlobalDefWriter_WriteRegion(g, 0, 0, 0, 0, OTF2_REGION_ROLE_FUNCTION,
                                     OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 1, 2);
    return OTF2_Archive_Close(a);
}
END
gcc -I"$root/include" write.c -o write -L"$1/lib" -lspur-otf2 -Wl,-rpath,"$1/lib" ||
    fault "the library cannot be used"
run ./write plain
same "status and errors of a plain archive" "$status:$err" "0:"
run ./write packed zlib
same "status of a compressed archive" "$status" 0
has "the warning" "$err" "warning: packed: compressed"
same "warnings" "$(echo "$err" | wc -l)" 1
[ "$(wc -c <packed/traces/0.evt)" -lt "$(wc -c <plain/traces/0.evt)" ] || fault "not smaller"
run otf2-print packed/traces.otf2
[ "$status" -ne 0 ] || fault "the reference library reads compressed archives"
cp -r packed damaged

run "$spur" unpack packed/traces.otf2
same "unpacking" "$status:$out:$err" "0::"
for file in traces.def traces/0.evt traces/0.def; do
    cmp "packed/$file" "plain/$file" || fault "$file differs"
done
same "files" "$(cd packed && find . | sort)" "$(cd plain && find . | sort)"
same "differences of the anchor files" "$(cmp -l packed/traces.otf2 plain/traces.otf2 |
    awk -v size="$(wc -c <plain/traces.otf2)" '$1 <= size - 19 || $1 > size - 11')" ""
otf2-print packed/traces.otf2 >../printed || fault "otf2-print does not read it"
same "events" "$(grep -cE '^(ENTER|LEAVE) ' ../printed)" 200000
run "$spur" unpack packed
has "unpacking again" "$status:$err" "0:spur: packed/traces.otf2: is not compressed"

# ---- what cannot be unpacked stays as it is ----

# Any number of threads leaves the same files.
"$1/tests/fixture-many" one 12 3000 0 zlib >../out 2>../err
cp -r one broken && truncate -s -9 broken/traces/5.evt && truncate -s -9 broken/traces/7.evt
run "$spur" unpack --threads 1 broken
first=$status:$err
for threads in 2 3 7; do
    cp -r one several
    run "$spur" unpack --threads $threads several
    same "unpacking by $threads threads" "$status:$out:$err" "0::"
    [ -d alone ] || { cp -r one alone && "$spur" unpack --threads 1 alone; }
    diff -r alone several || fault "$threads threads: other files"
    rm -r several
    run "$spur" unpack --threads $threads broken
    same "the first fault, by $threads threads" "$status:$err" "$first"
done
same "left over" "$(find . -name '*.remade')" ""

size=$(wc -c <damaged/traces/0.evt)
head -c $((size - 9)) damaged/traces/0.evt >short && cp short damaged/traces/0.evt
find damaged -type f -exec cksum {} + >before
run "$spur" unpack damaged/traces.otf2
same "status for a damaged file" "$status" 1
has "the damaged file" "$err" "spur: damaged/traces/0.evt: block at offset "
same "lines about it" "$(echo "$err" | wc -l)" 1
find damaged -type f -exec cksum {} + >after
cmp before after || fault "a damaged archive is changed"

for wrong in nothing damaged/traces.def write.c; do
    run "$spur" unpack $wrong
    same "status for $wrong" "$status" 1
    same "lines for $wrong" "$(echo "$err" | wc -l)" 1
done
run "$spur" unpack
same "status without archive" "$status" 2
finish
