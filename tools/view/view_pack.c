/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#include "tools/engine/engine.h"

enum {
    BLOCK = 1 << 18,      /* bytes, before compression */
    DICTIONARY = 1 << 15, /* bytes in front of a block; the block may refer to them */
    FLUSHING = 16,        /* bytes at most that end a block; not counted by deflateBound() */
    LEVEL = 6,
    RAW_WINDOW = -15,
    MEMORY = 8,
};

/* A part of a section. */
struct block {
    const struct view_bytes *of; /* NULL: the section is on another rank */
    const uint8_t *from;
    size_t n;
    size_t before; /* bytes of the dictionary in front of the block */
    bool is_last;
    struct view_bytes packed;
    uLong crc;
};

struct packing {
    LIST(struct block) blocks;
    atomic_size_t next; /* the next block without a worker */
};

/* ---- a block ---- */

static void pack_block(struct block *b)
{
    z_stream z = {.next_in = b->from, .avail_in = (uInt)b->n};
    if (deflateInit2(&z, LEVEL, Z_DEFLATED, RAW_WINDOW, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK ||
        (b->before && deflateSetDictionary(&z, b->from - b->before, (uInt)b->before) != Z_OK))
        fail("no memory");
    size_t room = deflateBound(&z, b->n) + FLUSHING;
    z.next_out = view_bytes_more(&b->packed, room);
    z.avail_out = (uInt)room;
    int wanted = b->is_last ? Z_STREAM_END : Z_OK;
    if (deflate(&z, b->is_last ? Z_FINISH : Z_SYNC_FLUSH) != wanted || z.avail_in || !z.avail_out)
        fail("a block of the page cannot be compressed");
    b->packed.of.n -= z.avail_out;
    b->crc = crc32(crc32(0, NULL, 0), b->from, (uInt)b->n);
    deflateEnd(&z);
}

/* ---- threads ---- */

struct worker {
    struct packing *packing;
    struct engine *engine;
};

static void *begin(void *context, struct engine *engine)
{
    struct worker *w = take_memory(sizeof *w);
    *w = (struct worker){context, engine};
    return w;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): further analyses count there */
static bool pack_blocks(void *state, uint64_t most, uint64_t *n)
{
    const struct worker *w = state;
    struct packing *p = w->packing;
    (void)most, (void)n; /* no events */
    if (engine_is_shared(w->engine))
        for (size_t i; (i = atomic_fetch_add(&p->next, 1)) < p->blocks.n;)
            pack_block(&p->blocks.at[i]);
    return false;
}

static uint64_t reached(const void *state)
{
    (void)state;
    return UINT64_MAX;
}

/* ---- ranks: the first worker has all blocks, and deals the blocks ---- */

struct head {
    uint64_t n;
    uint64_t before;
    uint64_t is_last;
};

struct packed_head {
    uint64_t n;
    uint64_t crc;
};

/* out[i]: the blocks of rank i. */
static void put_blocks(const struct packing *p, unsigned size, struct engine_bytes *out)
{
    for (size_t i = 0; i < p->blocks.n; i++) {
        const struct block *b = &p->blocks.at[i];
        struct head head = {b->n, b->before, b->is_last};
        if (i % size == 0)
            continue;
        engine_add(&out[i % size], &head, sizeof head);
        engine_add(&out[i % size], b->from - b->before, b->before + b->n);
    }
}

/* Packs the blocks sent by the first rank. */
static void pack_theirs(const struct engine_bytes *theirs, struct engine_bytes *out)
{
    struct head head;
    for (size_t at = 0; at < theirs->n; at += sizeof head + head.before + head.n) {
        memcpy(&head, theirs->at + at, sizeof head);
        struct block b = {.from = (const uint8_t *)theirs->at + at + sizeof head + head.before,
                          .n = head.n,
                          .before = head.before,
                          .is_last = head.is_last};
        pack_block(&b);
        struct packed_head packed = {b.packed.of.n, b.crc};
        engine_add(out, &packed, sizeof packed);
        engine_add(out, b.packed.of.at, b.packed.of.n);
        free(b.packed.of.at);
    }
}

/* Takes the packed blocks of all ranks, in the order of dealing. */
static void get_blocks(struct packing *p, unsigned size, const struct engine_bytes *in)
{
    struct packed_head head;
    for (unsigned rank = 1; rank < size; rank++) {
        const char *from = in[rank].at;
        for (size_t i = rank; i < p->blocks.n; i += size, from += head.n) {
            struct block *b = &p->blocks.at[i];
            memcpy(&head, from, sizeof head);
            from += sizeof head;
            memcpy(view_bytes_more(&b->packed, head.n), from, head.n);
            b->crc = head.crc;
        }
    }
}

static void clear_all(struct engine_bytes *bytes, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        free(bytes[i].at);
    free(bytes);
}

static void meet(void *state)
{
    const struct worker *w = state;
    struct packing *p = w->packing;
    unsigned size = w->engine->size;
    if (engine_is_shared(w->engine))
        return;
    /*
     * A thread of the present rank reads the dealt bytes in place: the bytes stay until all workers
     * have read.
     */
    struct engine_bytes *blocks = take_memory(size * sizeof *blocks);
    struct engine_bytes *packed = take_memory(size * sizeof *packed);
    if (!w->engine->rank)
        put_blocks(p, size, blocks);
    const struct engine_bytes *in = engine_exchange(w->engine, blocks);
    for (size_t i = 0; i < p->blocks.n && !w->engine->rank; i += size)
        pack_block(&p->blocks.at[i]);
    if (w->engine->rank)
        pack_theirs(&in[0], &packed[0]);
    engine_exchanged(w->engine);
    clear_all(blocks, size);
    in = engine_exchange(w->engine, packed);
    if (!w->engine->rank)
        get_blocks(p, size, in);
    engine_exchanged(w->engine);
    clear_all(packed, size);
}

/* ---- everything ---- */

static void run(struct packing *p, size_t workers)
{
    static const struct engine_analysis analysis = {
        .begin = begin, .read = pack_blocks, .reached = reached, .meet = meet, .finish = free};
    engine_run(&analysis, p, &(struct engine_how){.workers = (unsigned)workers, .goes_on = true});
}

static void pack_all(struct packing *p, unsigned threads)
{
    size_t most = threads ? threads : engine_processors();
    most = most < p->blocks.n ? most : p->blocks.n;
    if (most && engine_told(true))
        run(p, most);
}

void view_pack_help(void)
{
    struct packing none = {0};
    while (engine_told(true))
        run(&none, 1);
    engine_leave();
}

void view_pack_end(void)
{
    (void)engine_told(false);
    engine_leave();
}

/* ---- a section ---- */

static void cut(struct packing *p, const struct view_bytes *from)
{
    for (size_t at = 0; at < from->of.n; at += BLOCK) {
        size_t n = from->of.n - at < BLOCK ? from->of.n - at : BLOCK;
        *LIST_ADD(&p->blocks) = (struct block){.of = from,
                                               .from = from->of.at + at,
                                               .n = n,
                                               .before = at < DICTIONARY ? at : DICTIONARY,
                                               .is_last = at + n == from->of.n};
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
    view_bytes_put(&stream, blocks[0].of->of.n, 4);
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
        for (end = at + 1; end < p.blocks.n && p.blocks.at[end].of == first->of;)
            end++;
        join(&to[first->of - from], first, end - at);
    }
    for (size_t i = 0; i < p.blocks.n; i++)
        free(p.blocks.at[i].packed.of.at);
    free(p.blocks.at);
}
