/* SPDX-License-Identifier: BSD-3-Clause */
/* The definitions of a location; then its events, by the tables and clocks that these made. */
#include "fuzz.h"
#include "touch.h"

/* One Enter in region 0, at time 2^60. */
static const uint8_t events[] = {0x03, 0x42, 1, 0, 0, 0, 0, 0, 0, 0, 1,    0,  0, 0, 0, 0,
                                 0,    0,    5, 0, 0, 0, 0, 0, 0, 0, 0x10, 12, 0, 2, 1};

static void read_events(OTF2_Reader *r)
{
    uint64_t read = 0;
    OTF2_Reader_OpenEvtFiles(r);
    OTF2_EvtReader *e = OTF2_Reader_GetEvtReader(r, 0);
    OTF2_EvtReaderCallbacks *c = OTF2_EvtReaderCallbacks_New();
    OTF2_EvtReaderCallbacks_SetEnterCallback(c, evt_Enter);
    if (e) {
        OTF2_Reader_RegisterEvtCallbacks(r, e, c, NULL);
        OTF2_Reader_ReadAllLocalEvents(r, e, &read);
    }
    OTF2_EvtReaderCallbacks_Delete(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_begin(OTF2_COMPRESSION_NONE);
    if (!n || !fuzz_put("traces/0.def", data + 1, n - 1, true) ||
        !fuzz_put("traces/0.evt", events, sizeof events, true))
        return 0;
    stop_every = data[0];
    OTF2_Reader *r = fuzz_open();
    OTF2_Reader_OpenDefFiles(r);
    OTF2_DefReader *d = OTF2_Reader_GetDefReader(r, 0);
    OTF2_DefReaderCallbacks *c = OTF2_DefReaderCallbacks_New();
#define LOCAL_DEF(Name, ...) OTF2_DefReaderCallbacks_Set##Name##Callback(c, def_##Name);
#define SHARED_DEF LOCAL_DEF
#define GLOBAL_DEF(...)
    LOCAL_DEF(Unknown, )
#include <otf2/otf2_defs.def>
#undef GLOBAL_DEF
#undef SHARED_DEF
#undef LOCAL_DEF
    OTF2_ErrorCode code = d ? OTF2_Reader_RegisterDefCallbacks(r, d, c, NULL) : OTF2_ERROR_INVALID;
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = OTF2_Reader_ReadAllLocalDefinitions(r, d, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK ||
            code == OTF2_ERROR_DUPLICATE_MAPPING_TABLE)
            code = OTF2_SUCCESS;
    }
    OTF2_DefReaderCallbacks_Delete(c);
    read_events(r);
    OTF2_Reader_Close(r);
    return 0;
}
