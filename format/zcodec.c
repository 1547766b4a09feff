/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/zcodec.h"

#include <stdbool.h>
#include <string.h>
#include <zlib.h>

#include "format/memory.h"

enum {
    LEVEL = 4,
    FLUSH_BYTES = 16, /* more than a full flush adds */
};

static void *take(void *unused, unsigned items, unsigned bytes)
{
    (void)unused;
    return otf2_mem_new((size_t)items * bytes);
}

static void give_back(void *unused, void *mem)
{
    (void)unused;
    otf2_mem_free(mem);
}

static size_t bound(size_t bytes)
{
    return deflateBound(NULL, bytes) + FLUSH_BYTES;
}

/* zlib's own pointer to its input is not const. */
static Bytef *input(const uint8_t *data)
{
    Bytef *in;
    memcpy(&in, &data, sizeof in);
    return in;
}

static OTF2_ErrorCode pack(const uint8_t *data, size_t bytes, uint8_t *out, size_t *packed)
{
    z_stream z = {.zalloc = take, .zfree = give_back};
    if (deflateInit(&z, LEVEL) != Z_OK)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    size_t room = bound(bytes);
    z.next_in = input(data);
    z.avail_in = (uInt)bytes;
    z.next_out = out;
    z.avail_out = (uInt)room;
    /* Room that is left over tells that the flush is complete. */
    int result = deflate(&z, Z_FULL_FLUSH);
    bool is_done = result == Z_OK && !z.avail_in && z.avail_out;
    *packed = room - z.avail_out;
    (void)deflateEnd(&z);
    return is_done ? OTF2_SUCCESS : OTF2_ERROR_INVALID_DATA;
}

/* The flush that ends a stream: an empty stored block, aligned to a byte. */
static bool ends_flushed(const uint8_t *data, size_t bytes)
{
    static const uint8_t flush[] = {0, 0, 0xff, 0xff};
    return bytes > sizeof flush && !memcmp(data + bytes - sizeof flush, flush, sizeof flush);
}

static OTF2_ErrorCode unpack(const uint8_t *data, size_t bytes, uint8_t *out, size_t size)
{
    z_stream z = {.zalloc = take, .zfree = give_back};
    if (bytes > UINT32_MAX || size > UINT32_MAX || !ends_flushed(data, bytes))
        return OTF2_ERROR_INVALID_DATA;
    if (inflateInit(&z) != Z_OK)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    z.next_in = input(data);
    z.avail_in = (uInt)bytes;
    z.next_out = out;
    z.avail_out = (uInt)size;
    int result = inflate(&z, Z_SYNC_FLUSH);
    bool is_whole = !z.avail_out;
    if (result == Z_OK && is_whole && z.avail_in) {
        /* Only the flush may be left, which gives no byte. */
        uint8_t more;
        z.next_out = &more;
        z.avail_out = 1;
        result = inflate(&z, Z_SYNC_FLUSH);
        is_whole = z.avail_out;
    }
    bool is_good = result == Z_OK && is_whole && !z.avail_in;
    bool is_poor = result == Z_MEM_ERROR;
    (void)inflateEnd(&z);
    if (is_poor)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    return is_good ? OTF2_SUCCESS : OTF2_ERROR_INVALID_DATA;
}

const struct otf2_zcodec otf2_zcodec = {bound, pack, unpack};
