/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contents of a compressed block: a zlib stream of level 4 that ends with a full flush, without
 * the stream's own end and checksum. Every block is a separate stream: a block is unpacked without
 * the blocks before, so a reader can go to any chunk, and a damaged block harms no other block.
 *
 * A library that must not depend on zlib is linked without format-zlib and finds otf2_zcodec
 * absent. Any thread; memory comes through format/memory.h.
 */
#ifndef FORMAT_ZCODEC_H
#define FORMAT_ZCODEC_H

#include <stddef.h>
#include <stdint.h>

#include <otf2/OTF2_ErrorCodes.h>

struct otf2_zcodec {
    /* The largest possible size of the stream for `bytes` bytes. */
    size_t (*bound)(size_t bytes);

    /* Packs into `out`, of bound() bytes; the stream's size in *packed. No memory:
     * MEM_ALLOC_FAILED. */
    OTF2_ErrorCode (*pack)(const uint8_t *data, size_t bytes, uint8_t *out, size_t *packed);

    /*
     * Unpacks a stream that must give exactly `size` bytes and use all of data[bytes]; otherwise
     * OTF2_ERROR_INVALID_DATA. No memory: OTF2_ERROR_MEM_ALLOC_FAILED. Nothing is reported.
     */
    OTF2_ErrorCode (*unpack)(const uint8_t *data, size_t bytes, uint8_t *out, size_t size);
};

extern const struct otf2_zcodec otf2_zcodec __attribute__((weak, visibility("hidden")));

static inline const struct otf2_zcodec *otf2_zcodec_find(void)
{
    return &otf2_zcodec;
}

#endif
