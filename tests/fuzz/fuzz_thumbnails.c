/* SPDX-License-Identifier: BSD-3-Clause */
/* A thumbnail. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { METRICS_MAX = 1 << 16, SAMPLES_MAX = 1 << 16 };
    static uint64_t samples[METRICS_MAX];
    char *name = NULL, *description = NULL;
    OTF2_ThumbnailType type = 0;
    uint32_t n_samples = 0, n_metrics = 0;
    uint64_t *refs = NULL, baseline = 0;
    fuzz_begin(OTF2_COMPRESSION_NONE);
    /* A thumbnail's chunks are four times as large as the others; one is enough. */
    if (!fuzz_put("traces.0.thumb", data, n, false))
        return 0;
    OTF2_Reader *r = fuzz_open();
    OTF2_ThumbReader *t = OTF2_Reader_GetThumbReader(r, 0);
    if (t &&
        !OTF2_ThumbReader_GetHeader(t, &name, &description, &type, &n_samples, &n_metrics, &refs)) {
        OTF2_ErrorCode code = OTF2_SUCCESS;
        for (uint32_t i = 0; !code && i < n_samples && i < SAMPLES_MAX; i++)
            code = OTF2_ThumbReader_ReadSample(t, &baseline,
                                               n_metrics < METRICS_MAX ? n_metrics : METRICS_MAX,
                                               samples);
        free(name);
        free(description);
        free(refs);
    }
    OTF2_Reader_Close(r);
    return 0;
}
