/* SPDX-License-Identifier: BSD-3-Clause */
/* The global definitions. */
#include "fuzz.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_begin(OTF2_COMPRESSION_NONE);
    if (!n || !fuzz_put("traces.def", data + 1, n - 1, true))
        return 0;
    stop_every = data[0];
    OTF2_Reader *r = fuzz_open();
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
#define GLOBAL_DEF(Name, ...) OTF2_GlobalDefReaderCallbacks_Set##Name##Callback(c, def_##Name);
#define SHARED_DEF GLOBAL_DEF
#define LOCAL_DEF(...)
    GLOBAL_DEF(Unknown, )
#include <otf2/otf2_defs.def>
#undef GLOBAL_DEF
#undef SHARED_DEF
#undef LOCAL_DEF
    OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalDefCallbacks(r, g, c, NULL);
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = OTF2_Reader_ReadAllGlobalDefinitions(r, g, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
            code = OTF2_SUCCESS;
    }
    OTF2_GlobalDefReaderCallbacks_Delete(c);
    OTF2_Reader_Close(r);
    return 0;
}
