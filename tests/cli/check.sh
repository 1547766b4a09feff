#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# of: tools/check tools/check/io
# shellcheck source-path=SCRIPTDIR
root=$(readlink -f "$(dirname "$0")/../..")
. "$(dirname "$0")/expect.sh"

# ---- what is found in archives with one fault each, and that good ones have none ----

/usr/bin/python3 "$root/tests/check_faults.py" "$spur" || fault "archives are judged wrongly"

# ---- the rules ----

"$spur" check --markdown | diff - "$root/docs/checks.md" >../diff ||
    fault "docs/checks.md is not what spur check --markdown prints: $(cat ../diff)"
same "remarks about spur's own archives that blame the agent alone" \
    "$("$spur" check --markdown | grep -c '| remark | the agent\(, or the cut\)\? |')" 0
run "$spur" check --list
same "status of --list" "$status:$err" "0:"
has "a rule" "$out" "  message-size           fault"

# ---- an archive of the reference library, right and wrong ----

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
    int wrong = argc > 2 ? atoi(argv[2]) : 0;
    OTF2_Archive *a = OTF2_Archive_Open(argv[1], "traces", OTF2_FILEMODE_WRITE, 262144, 262144,
                                        OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_Archive_SetFlushCallbacks(a, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(a);
    OTF2_GlobalDefWriter *g = OTF2_Archive_GetGlobalDefWriter(a);
    OTF2_Archive_OpenEvtFiles(a);
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(a, 0);
    for (int i = 1; i <= 100000; i++)
        OTF2_EvtWriter_Enter(w, NULL, i, 0), OTF2_EvtWriter_Leave(w, NULL, i, wrong);
    OTF2_Archive_CloseEvtFiles(a);
    OTF2_Archive_OpenDefFiles(a);
    OTF2_Archive_CloseDefWriter(a, OTF2_Archive_GetDefWriter(a, 0));
    OTF2_Archive_CloseDefFiles(a);
    OTF2_GlobalDefWriter_WriteClockProperties(g, 1000, 0, 200000, 5);
    OTF2_GlobalDefWriter_WriteString(g, 0, "a \"name\"\n\xe4");
    OTF2_GlobalDefWriter_WriteString(g, 1, "other");
    OTF2_GlobalDefWriter_WriteParadigm(g, OTF2_PARADIGM_USER, 0, OTF2_PARADIGM_CLASS_PROCESS);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(g, 0, 0, 0, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(g, 0, 0, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(g, 0, 0, OTF2_LOCATION_TYPE_CPU_THREAD, 200000, 0);
    for (int i = 0; i < 2; i++)
        OTF2_GlobalDefWriter_WriteRegion(g, i, i, i, 0, OTF2_REGION_ROLE_FUNCTION,
                                         OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, 0, 1, 2);
    return OTF2_Archive_Close(a);
}
END
gcc write.c -o write -lopen-trace-format2 2>out || gcc write.c -o write -lopen_trace_format2 || fault "the reference library cannot be used"
./write good && ./write bad 1

run "$spur" check --remarks good
same "a good archive" "$status:$out:$err" "0:0 faults, 0 remarks in 200000 events of 1 locations:"
run "$spur" check --verbose good/traces.otf2
has "the speed" "$out" " million events/s)"

run "$spur" check bad
same "status of a bad archive" "$status:$err" "1:"
same "lines about it" "$(echo "$out" | wc -l)" 12
has "the first fault" "$out" "fault nesting: location 0 event 1 at 1: Leave of region 1 \"other\""
has "the count" "$out" "fault nesting: 99990 more"
has "the summary" "$out" "100000 faults, 0 remarks in 200000 events of 1 locations"
run "$spur" check --all bad
same "all lines" "$(echo "$out" | wc -l)" 100001
run "$spur" check --limit 3 bad
same "three lines" "$(echo "$out" | wc -l)" 5
run "$spur" check --quiet bad
same "quiet" "$status:$out:$err" "1::"
run "$spur" check --disable nesting bad
same "a rule that is switched off" "$status" 0
run "$spur" check --json bad
same "status with --json" "$status" 1
echo "$out" | /usr/bin/python3 "$root/tests/lib/report_schema.py" "$root/docs/check.schema.json" ||
    fault "--json: not as the schema says"
echo "$out" | /usr/bin/python3 -c '
import json, sys
found = json.load(sys.stdin)
assert found["faults"] == 100000 and len(found["findings"]) == 10, found
first = found["findings"][0]
assert first["rule"] == "nesting" and first["severity"] == "fault", first
assert (first["location"], first["event"], first["time"]) == (0, 1, 1), first
assert found["rules"] == [{"rule": "nesting", "severity": "fault", "count": 100000}], found
' || fault "what --json says: $out"

# ---- a remark is a fault with --strict only ----

cp -r good remark && touch remark/traces/77.evt
run "$spur" check remark
same "a remark" "$status:$out" "0:0 faults, 1 remarks in 200000 events of 1 locations"
run "$spur" check --remarks remark
has "a remark that is shown" "$status:$out" "0:remark file-stray: 77.evt: belongs to no location"
run "$spur" check --strict remark
same "status with --strict" "$status" 1
run "$spur" check --own remark
same "status as spur's own" "$status" 1

# ---- wrong use ----

for wrong in "" "--nothing good" "good bad" "--disable nothing good" "--disable" "--limit x good" \
    "nowhere" "nowhere/traces.otf2" "good/traces"; do
    # shellcheck disable=SC2086 # several words
    run "$spur" check $wrong
    same "status of '$wrong'" "$status" 2
    [ -n "$err" ] || fault "no word about '$wrong'"
done
finish
