/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/zblock.h"

#include <string.h>

enum {
    MARK_BYTES = 8,
    DEFLATE_RATIO_MAX = 1032, /* 258 bytes by two bits */
};

/* One 64-bit number in the order of the writing host. */
static const uint8_t mark[MARK_BYTES] = {0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0};
static const uint8_t mark_big[MARK_BYTES] = {0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff};

static uint8_t *put_u32(uint8_t *p, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        *p++ = (uint8_t)(value >> 8 * i);
    return p;
}

static uint32_t get_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint8_t *otf2_zblock_put(uint8_t *p, const struct otf2_zblock *block)
{
    memcpy(p, mark, sizeof mark);
    p = put_u32(p + sizeof mark, block->compressed);
    p = put_u32(p, block->uncompressed);
    return put_u32(p, block->previous);
}

bool otf2_zblock_begins(const uint8_t *bytes, size_t n)
{
    return n >= MARK_BYTES &&
           (!memcmp(bytes, mark, MARK_BYTES) || !memcmp(bytes, mark_big, MARK_BYTES));
}

struct otf2_zblock otf2_zblock_get(const uint8_t *p)
{
    return (struct otf2_zblock){get_u32(p + 8), get_u32(p + 12), get_u32(p + 16)};
}

/* The header at `at`, where there is room for one. False: it cannot be read, or is none. */
static bool get_header(const struct otf2_zwalk *walk, uint64_t at, struct otf2_zblock *block)
{
    uint8_t header[OTF2_ZBLOCK_HEADER_BYTES];
    if (walk->bytes)
        memcpy(header, walk->bytes + at, sizeof header);
    else if (!walk->header(walk->from, at, header))
        return false;
    *block = otf2_zblock_get(header);
    return otf2_zblock_begins(header, sizeof header);
}

/* Whether `at` is the file's end, or the beginning of a block that follows one of `previous`. */
static bool is_border(const struct otf2_zwalk *walk, uint64_t at, uint32_t previous)
{
    struct otf2_zblock block;
    if (at >= walk->size)
        return at == walk->size;
    return walk->size - at >= OTF2_ZBLOCK_HEADER_BYTES && get_header(walk, at, &block) &&
           block.previous == previous;
}

static const char *check(const struct otf2_zwalk *walk, const struct otf2_zblock *block,
                         size_t rest)
{
    if (walk->unpacked % walk->chunk_bytes)
        return "a block follows one that is no whole chunk";
    if (block->previous != walk->previous)
        return "the block does not follow the one before it";
    if (!block->uncompressed || block->uncompressed > walk->chunk_bytes + 1)
        return "the block has an impossible size";
    if (block->compressed > rest)
        return "the block is cut off";
    if (block->uncompressed / DEFLATE_RATIO_MAX > block->compressed)
        return "the block has an impossible size";
    return NULL;
}

const char *otf2_zwalk_next(struct otf2_zwalk *walk, struct otf2_zblock *block,
                            const uint8_t **data)
{
    size_t at = walk->next_at;
    size_t rest = walk->size - at;
    walk->block_at = at;
    if (rest < OTF2_ZBLOCK_HEADER_BYTES)
        return "the header of the block is cut off";
    if (!get_header(walk, at, block))
        return "no header of a block";
    const char *fault = check(walk, block, rest - OTF2_ZBLOCK_HEADER_BYTES);
    if (fault)
        return fault;

    uint64_t begin = at + OTF2_ZBLOCK_HEADER_BYTES;
    uint64_t end = begin + block->compressed;
    if (!is_border(walk, end, block->compressed) && block->uncompressed > block->compressed)
        end = begin + block->uncompressed;
    if (!is_border(walk, end, block->compressed))
        return "the block is cut off, or no block follows it";
    *data = walk->bytes ? walk->bytes + begin : NULL;
    walk->next_at = (size_t)end;
    walk->unpacked += block->uncompressed;
    walk->previous = block->compressed;
    return NULL;
}
