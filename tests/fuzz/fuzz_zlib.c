/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed events. The input is the file as it is. */
#include "events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_begin(OTF2_COMPRESSION_ZLIB);
    if (!n || !fuzz_put("traces/0.evt", data + 1, n - 1, false) ||
        !fuzz_put("traces/1.evt", data + 1, n - 1, false))
        return 0;
    read_events(data[0]);
    return 0;
}
