/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compressed events whose blocks are in order: the input is the data, which is compressed here, so
 * that mutations reach what is behind the decompression. Its second byte says how it is cut.
 */
#include "events.h"

#include <stdlib.h>
#include <zlib.h>

#include "format/zblock.h"

enum { ROOM = 4 * FUZZ_INPUT_MAX, LEVEL = 1, HEAD = 2 };

static size_t pack(const uint8_t *data, size_t n, size_t piece, uint8_t *to)
{
    size_t at = 0;
    uint32_t previous = 0;
    while (n) {
        size_t part = n < piece ? n : piece;
        z_stream z = {.next_in = (Bytef *)(uintptr_t)data, .avail_in = (uInt)part};
        z.next_out = to + at + OTF2_ZBLOCK_HEADER_BYTES;
        z.avail_out = (uInt)(ROOM - at - OTF2_ZBLOCK_HEADER_BYTES);
        if (deflateInit(&z, LEVEL) != Z_OK || deflate(&z, Z_FULL_FLUSH) != Z_OK)
            abort();
        const struct otf2_zblock block = {(uint32_t)z.total_out, (uint32_t)part, previous};
        otf2_zblock_put(to + at, &block);
        at += OTF2_ZBLOCK_HEADER_BYTES + z.total_out;
        previous = block.compressed;
        deflateEnd(&z);
        data += part;
        n -= part;
    }
    return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t packed[ROOM];
    fuzz_begin(OTF2_COMPRESSION_ZLIB);
    if (n < HEAD || n > FUZZ_INPUT_MAX)
        return 0;
    /* One block, or several that are too short for chunks. */
    size_t piece = data[1] % 2 ? FUZZ_CHUNK : n / HEAD + 1;
    size_t size = pack(data + HEAD, n - HEAD, piece, packed);
    if (!fuzz_put("traces/0.evt", packed, size, false) ||
        !fuzz_put("traces/1.evt", packed, size, false))
        return 0;
    read_events(data[0]);
    return 0;
}
