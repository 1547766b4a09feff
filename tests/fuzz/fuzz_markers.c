/* SPDX-License-Identifier: BSD-3-Clause */
/* The markers. */
#include "fuzz.h"
#include "touch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_begin(OTF2_COMPRESSION_NONE);
    if (!n || !fuzz_put("traces.marker", data + 1, n - 1, true))
        return 0;
    stop_every = data[0];
    OTF2_Reader *r = fuzz_open();
    OTF2_MarkerReader *m = OTF2_Reader_GetMarkerReader(r);
    OTF2_MarkerReaderCallbacks *c = OTF2_MarkerReaderCallbacks_New();
    OTF2_MarkerReaderCallbacks_SetUnknownCallback(c, def_Unknown);
    OTF2_MarkerReaderCallbacks_SetDefMarkerCallback(c, def_DefMarker);
    OTF2_MarkerReaderCallbacks_SetMarkerCallback(c, def_Marker);
    OTF2_ErrorCode code =
        m ? OTF2_Reader_RegisterMarkerCallbacks(r, m, c, NULL) : OTF2_ERROR_INVALID;
    for (uint64_t read = 1, all = 0; !code && read && all < FUZZ_RECORDS_MAX; all += read) {
        code = OTF2_Reader_ReadAllMarkers(r, m, &read);
        if (code == OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
            code = OTF2_SUCCESS;
    }
    OTF2_MarkerReaderCallbacks_Delete(c);
    OTF2_Reader_Close(r);
    return 0;
}
