/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files of locations in SION containers. An input is a rank map, behind two bytes with its length,
 * and a container, which stands for all containers of the archive.
 */
#include "events.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    enum { LENGTH_BYTES = 2, BYTE_BITS = 8 };
    static const char *const names[] = {"traces/0.def", "traces/1.def",  "traces/0.evt",
                                        "traces/1.evt", "traces/0.snap", "traces/1.snap"};
    uint64_t read = 0;
    fuzz_begin_containers();
    if (n < LENGTH_BYTES)
        return 0;
    size_t map = data[0] | (size_t)data[1] << BYTE_BITS;
    data += LENGTH_BYTES;
    n -= LENGTH_BYTES;
    if (map > n || !fuzz_put("traces.srm", data, map, false))
        return 0;
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!fuzz_put(names[i], data + map, n - map, false))
            return 0;
    read_events((uint8_t)n);
    OTF2_Reader *r = fuzz_open();
    OTF2_SnapReader *s = OTF2_Reader_GetSnapReader(r, 1);
    if (s)
        OTF2_Reader_ReadLocalSnapshots(r, s, FUZZ_RECORDS_MAX, &read);
    OTF2_Reader_Close(r);
    return 0;
}
