/* SPDX-License-Identifier: BSD-3-Clause */
/* The snapshots of a location, alone, from a time on, and merged with another one's. */
#include "fuzz.h"
#include "touch.h"

static void read_alone(OTF2_Reader *r, uint8_t how)
{
    enum { TIMES = 3, PIECE = 7, STEP = 100 };
    OTF2_SnapReader *s = OTF2_Reader_GetSnapReader(r, 0);
    OTF2_SnapReaderCallbacks *c = OTF2_SnapReaderCallbacks_New();
#define SNAP(Name, ...) OTF2_SnapReaderCallbacks_Set##Name##Callback(c, snap_##Name);
    SNAP(Unknown, )
#include <otf2/otf2_snaps.def>
#undef SNAP
    OTF2_ErrorCode code = s ? OTF2_Reader_RegisterSnapCallbacks(r, s, c, NULL) : OTF2_ERROR_INVALID;
    for (uint64_t i = 0; !code && i < TIMES; i++) {
        bool is_found = false;
        uint64_t read = 0;
        OTF2_SnapReader_Seek(s, how * i * STEP, &is_found);
        OTF2_SnapReader_ReadSnapshots(s, PIECE, &read);
    }
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = OTF2_Reader_ReadLocalSnapshots(r, s, PIECE, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
            code = OTF2_SUCCESS;
    }
    if (s)
        OTF2_Reader_CloseSnapReader(r, s);
    OTF2_SnapReaderCallbacks_Delete(c);
}

static void read_merged(OTF2_Reader *r)
{
    for (OTF2_LocationRef l = 0; l < FUZZ_LOCATIONS; l++)
        OTF2_Reader_GetSnapReader(r, l);
    OTF2_GlobalSnapReader *g = OTF2_Reader_GetGlobalSnapReader(r);
    OTF2_GlobalSnapReaderCallbacks *c = OTF2_GlobalSnapReaderCallbacks_New();
#define SNAP(Name, ...) OTF2_GlobalSnapReaderCallbacks_Set##Name##Callback(c, snap_##Name);
    SNAP(Unknown, )
#include <otf2/otf2_snaps.def>
#undef SNAP
    OTF2_ErrorCode code =
        g ? OTF2_Reader_RegisterGlobalSnapCallbacks(r, g, c, NULL) : OTF2_ERROR_INVALID;
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = OTF2_Reader_ReadAllGlobalSnapshots(r, g, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
            code = OTF2_SUCCESS;
    }
    OTF2_GlobalSnapReaderCallbacks_Delete(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { STOPS = 5 };
    fuzz_begin(OTF2_COMPRESSION_NONE);
    if (!n || !fuzz_put("traces/0.snap", data + 1, n - 1, true) ||
        !fuzz_put("traces/1.snap", data + 1, n - 1, true))
        return 0;
    stop_every = data[0] % STOPS;
    OTF2_Reader *r = fuzz_open();
    OTF2_Reader_OpenSnapFiles(r);
    read_alone(r, data[0]);
    read_merged(r);
    OTF2_Reader_Close(r);
    return 0;
}
