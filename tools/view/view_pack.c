/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "tools/engine/engine.h"

enum {
    BLOCK = 1 << 18,      /* bytes, before they are compressed */
    DICTIONARY = 1 << 15, /* bytes in front of a block that it may refer to */
    FLUSHING = 16,        /* bytes that end a block, at most; deflateBound() does not count them */
    LEVEL = 6,
    RAW_WINDOW = -15,
    MEMORY = 8,
};

/* A part of a section. */
struct block {
    const struct view_bytes *from;
    size_t at;
    size_t n;
    struct view_bytes packed;
    uLong crc;
};

struct packing {
    LIST(struct block) blocks;
    atomic_size_t next; /* that nobody has begun */
};

/* ---- a block ---- */

static bool is_last(const struct block *b)
{
    return b->at + b->n == b->from->of.n;
}

static void pack_block(struct block *b)
{
    const uint8_t *from = b->from->of.at + b->at;
    size_t before = b->at < DICTIONARY ? b->at : DICTIONARY;
    z_stream z = {.next_in = from, .avail_in = (uInt)b->n};
    if (deflateInit2(&z, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK ||
        (before && deflateSetDictionary(&z, from - before, (uInt)before) != Z_OK))
        fail("no memory");
    size_t room = deflateBound(&z, b->n) + FLUSHING;
    z.next_out = view_bytes_more(&b->packed, room);
    z.avail_out = (uInt)room;
    int wanted = is_last(b) ? Z_STREAM_END : Z_OK;
    if (deflate(&z, is_last(b) ? Z_FINISH : Z_SYNC_FLUSH) != wanted || z.avail_in || !z.avail_out)
        fail("a block of the page cannot be compressed");
    b->packed.of.n -= z.avail_out;
    b->crc = crc32(crc32(0, NULL, 0), from, (uInt)b->n);
    deflateEnd(&z);
}

/* ---- threads ---- */

static void *begin(void *context, struct engine *engine)
{
    (void)engine;
    return context;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): other analyses count there */
static bool pack_blocks(void *state, uint64_t most, uint64_t *n)
{
    struct packing *p = state;
    (void)most, (void)n; /* no events */
    for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->blocks.n;)
        pack_block(&p->blocks.at[i]);
    return false;
}

static uint64_t reached(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

static void pack_all(struct packing *p, unsigned threads)
{
    static const struct engine_analysis analysis = {.begin = begin,
                                                    .read = pack_blocks,
                                                    .reached = reached};
    size_t most = threads ? threads : engine_processors();
    most = most < p->blocks.n ? most : p->blocks.n;
    if (most)
        engine_run(&analysis, p, &(struct engine_how){.workers = (unsigned)most, .goes_on = true});
}

/* ---- a section ---- */

static void cut(struct packing *p, const struct view_bytes *from)
{
    for (size_t at = 0; at < from->of.n; at += BLOCK) {
        size_t n = from->of.n - at < BLOCK ? from->of.n - at : BLOCK;
        *LIST_ADD(&p->blocks) = (struct block){.from = from, .at = at, .n = n};
    }
}

static void encode(struct view_bytes *to, const uint8_t *from, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *text = view_bytes_more(to, (n + 2) / 3 * 4);
    for (size_t i = 0; i < n; i += 3) {
        uint32_t bits = (uint32_t)from[i] << 16;
        bits |= i + 1 < n ? (uint32_t)from[i + 1] << 8 : 0;
        bits |= i + 2 < n ? from[i + 2] : 0;
        *text++ = (uint8_t)digits[bits >> 18];
        *text++ = (uint8_t)digits[bits >> 12 & 63];
        *text++ = (uint8_t)(i + 1 < n ? digits[bits >> 6 & 63] : '=');
        *text++ = (uint8_t)(i + 2 < n ? digits[bits & 63] : '=');
    }
}

/* RFC 1952: a head, the blocks, and two words. */
static void join(struct view_bytes *to, const struct block *blocks, size_t n)
{
    static const uint8_t head[] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 3};
    struct view_bytes stream = {0};
    uLong crc = crc32(0, NULL, 0);
    memcpy(view_bytes_more(&stream, sizeof head), head, sizeof head);
    for (size_t i = 0; i < n; i++) {
        const struct view_bytes *packed = &blocks[i].packed;
        memcpy(view_bytes_more(&stream, packed->of.n), packed->of.at, packed->of.n);
        crc = crc32_combine(crc, blocks[i].crc, (z_off_t)blocks[i].n);
    }
    view_bytes_put(&stream, crc, 4);
    view_bytes_put(&stream, blocks[0].from->of.n, 4);
    encode(to, stream.of.at, stream.of.n);
    free(stream.of.at);
}

void view_pack(struct view_bytes *to, const struct view_bytes *from, size_t n, unsigned threads)
{
    struct packing p = {0};
    for (size_t i = 0; i < n; i++)
        cut(&p, &from[i]);
    pack_all(&p, threads);
    for (size_t at = 0, end; at < p.blocks.n; at = end) {
        const struct block *first = &p.blocks.at[at];
        for (end = at + 1; end < p.blocks.n && p.blocks.at[end].from == first->from;)
            end++;
        join(&to[first->from - from], first, end - at);
    }
    for (size_t i = 0; i < p.blocks.n; i++)
        free(p.blocks.at[i].packed.of.at);
    free(p.blocks.at);
}
