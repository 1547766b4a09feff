/* SPDX-License-Identifier: BSD-3-Clause */
/* The events of a location, with mapping tables and a clock; the other location has the same. */
#include "events.h"

/* A dense table of regions and a sparse one of attributes; three points of the clock. */
static const uint8_t definitions[] = {
    0x03, 0x42, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 9,  3,
    1,    3,    0, 1, 2, 1, 1, 0,       /* REGION: 2 1 0 */
    5,    8,    1, 1, 1, 1, 1, 1, 1, 2, /* ATTRIBUTE: 1 is 2 */
    6,    17,   1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6,  18,
    9,    0,    0, 0, 0, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 6, 18, 0,
    9,    0,    0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    fuzz_begin(OTF2_COMPRESSION_NONE);
    if (!n || !fuzz_put("traces/0.evt", data + 1, n - 1, true) ||
        !fuzz_put("traces/1.evt", data + 1, n - 1, true) ||
        !fuzz_put("traces/0.def", definitions, sizeof definitions, true))
        return 0;
    read_events(data[0]);
    return 0;
}
