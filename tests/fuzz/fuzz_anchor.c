/* SPDX-License-Identifier: BSD-3-Clause */
/* The anchor file, and everything that an archive can be asked about it. */
#include "fuzz.h"

#include <stdlib.h>

static void ask_properties(OTF2_Reader *r)
{
    uint32_t n = 0;
    char **names = NULL;
    if (OTF2_Reader_GetPropertyNames(r, &n, &names))
        return;
    for (uint32_t i = 0; i < n; i++) {
        char *value = NULL;
        bool truth = false;
        if (OTF2_Reader_GetProperty(r, names[i], &value))
            abort();
        OTF2_Reader_GetBoolProperty(r, names[i], &truth);
        free(value);
    }
    free(names);
}

static void ask_texts(OTF2_Reader *r)
{
    char *text = NULL;
    if (!OTF2_Reader_GetMachineName(r, &text))
        free(text);
    if (!OTF2_Reader_GetCreator(r, &text))
        free(text);
    if (!OTF2_Reader_GetDescription(r, &text))
        free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    uint64_t number = 0;
    uint32_t thumbnails = 0;
    fuzz_begin(OTF2_COMPRESSION_NONE);
    if (!fuzz_put("traces.otf2", data, n, false))
        return 0;
    OTF2_Reader *r = fuzz_open();
    if (!r)
        return 0;
    ask_properties(r);
    ask_texts(r);
    OTF2_Reader_GetTraceId(r, &number);
    OTF2_Reader_GetNumberOfThumbnails(r, &thumbnails);
    OTF2_Reader_GetThumbReader(r, thumbnails - 1);
    OTF2_GlobalDefReader *g = OTF2_Reader_GetGlobalDefReader(r);
    if (g)
        OTF2_Reader_ReadAllGlobalDefinitions(r, g, &number);
    OTF2_Reader_Close(r);
    return 0;
}
