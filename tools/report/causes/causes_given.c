/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes_given.h"

#include <stdlib.h>
#include <string.h>

#include "tools/engine/common.h"

struct given {
    struct engine_bytes out; /* of threads: borrowed by all further threads */
    void **blocks;           /* of ranks, by worker: bytes from further hosts */
    void *few;               /* the calls of lines with few calls */
};

/* Of a thread. */
struct shown_line {
    const struct track_call *calls;
    const struct lap *laps;
    const struct release *waits;
};

/* The head of a rank with visible memory. A row for each of the rank's lines follows. */
struct block {
    uint64_t place;
    uint64_t bytes;
};

struct near_head {
    struct block laps, waits, few;
};

struct near_line {
    uint64_t calls; /* a place; COMMON_NOWHERE: the next calls of `few` */
    uint64_t lap;   /* the first of the line, */
    uint64_t wait;  /* index in the block */
};

static bool has_ranks(const struct lines *lines)
{
    return lines->engine && !engine_is_shared(lines->engine);
}

void *lines_room(const struct lines *lines, size_t bytes)
{
    void *room = has_ranks(lines) ? common_grow(NULL, bytes, bytes) : NULL;
    return room ? room : take_memory(bytes);
}

static bool is_of(const struct line *line, unsigned worker)
{
    return line->n_calls && line->worker == worker;
}

/* ---- threads ---- */

static void give_shown(struct lines *lines)
{
    struct engine *engine = lines->engine;
    struct engine_bytes *out = &lines->given->out;
    for (uint32_t i = 0; i < lines->n; i++) {
        const struct line *line = &lines->at[i];
        struct shown_line shown = {line->calls, line->laps, line->waits};
        if (is_of(line, engine->rank))
            engine_add(out, &shown, sizeof shown);
    }
    for (unsigned i = 0; i < engine->size; i++)
        lines->out[i] = *out;
    const struct engine_bytes *all = engine_exchange(engine, lines->out);
    for (unsigned worker = 0; worker < engine->size; worker++) {
        const char *at = all[worker].at;
        for (uint32_t i = 0; i < lines->n; i++) {
            struct shown_line shown;
            if (!is_of(&lines->at[i], worker))
                continue;
            memcpy(&shown, at, sizeof shown);
            at += sizeof shown;
            lines->at[i].calls = shown.calls;
            lines->at[i].laps = shown.laps;
            lines->at[i].waits = shown.waits;
        }
    }
}

/* ---- ranks with visible memory ---- */

static struct block block_of(const void *memory, size_t bytes)
{
    struct block block = {bytes ? common_place(memory) : COMMON_NOWHERE, bytes};
    if (bytes && block.place == COMMON_NOWHERE)
        fail("no memory");
    return block;
}

/* The calls of lines whose calls are nowhere else in common memory. */
static struct block make_few(struct lines *lines)
{
    size_t n = 0;
    char *at;
    for (int is_room = 0; is_room < 2; is_room++) {
        at = is_room ? lines->given->few = lines_room(lines, n) : NULL;
        for (uint32_t i = 0; i < lines->n; i++) {
            const struct line *line = &lines->at[i];
            size_t bytes = line->n_calls * sizeof *line->calls;
            if (!is_of(line, lines->engine->rank) || common_place(line->calls) != COMMON_NOWHERE)
                continue;
            n += is_room ? 0 : bytes;
            at = is_room ? (char *)memcpy(at, line->calls, bytes) + bytes : NULL;
        }
    }
    return block_of(lines->given->few, n);
}

static struct engine_bytes make_near(struct lines *lines)
{
    struct engine_bytes out = {0};
    size_t n_laps = 0;
    size_t n_waits = 0;
    struct near_head head = {.few = make_few(lines)};
    engine_add(&out, &head, sizeof head);
    for (uint32_t i = 0; i < lines->n; i++) {
        const struct line *line = &lines->at[i];
        if (!is_of(line, lines->engine->rank))
            continue;
        size_t wait = line->n_waits ? (size_t)(line->waits - lines->waits) : 0;
        struct near_line row = {common_place(line->calls), n_laps, wait};
        engine_add(&out, &row, sizeof row);
        n_laps += line->n_laps;
        n_waits = line->n_waits ? wait + line->n_waits : n_waits;
    }
    head.laps = block_of(lines->laps, n_laps * sizeof *lines->laps);
    head.waits = block_of(lines->waits, n_waits * sizeof *lines->waits);
    memcpy(out.at, &head, sizeof head);
    return out;
}

static const void *view(unsigned worker, const struct block *block)
{
    return common_view(worker, block->place, (size_t)block->bytes);
}

static void take_near(struct lines *lines, unsigned worker, const char *at)
{
    struct near_head head;
    memcpy(&head, at, sizeof head);
    at += sizeof head;
    const struct lap *laps = view(worker, &head.laps);
    const struct release *waits = view(worker, &head.waits);
    const struct track_call *few = view(worker, &head.few);
    for (uint32_t i = 0; i < lines->n; i++) {
        struct line *line = &lines->at[i];
        struct near_line row;
        if (!is_of(line, worker))
            continue;
        memcpy(&row, at, sizeof row);
        at += sizeof row;
        line->laps = line->n_laps ? laps + row.lap : NULL;
        line->waits = line->n_waits ? waits + row.wait : NULL;
        if (row.calls != COMMON_NOWHERE) {
            line->calls = common_view(worker, row.calls, line->n_calls * sizeof *line->calls);
        } else {
            line->calls = few;
            few += line->n_calls;
        }
    }
}

/* ---- ranks of remote hosts ---- */

static struct engine_bytes make_far(const struct lines *lines)
{
    struct engine_bytes out = {0};
    for (uint32_t i = 0; i < lines->n; i++) {
        const struct line *line = &lines->at[i];
        if (!is_of(line, lines->engine->rank))
            continue;
        engine_add(&out, line->calls, line->n_calls * sizeof *line->calls);
        engine_add(&out, line->laps, line->n_laps * sizeof *line->laps);
        engine_add(&out, line->waits, line->n_waits * sizeof *line->waits);
    }
    return out;
}

static void take_far(struct lines *lines, unsigned worker, const char *at)
{
    for (uint32_t i = 0; i < lines->n; i++) {
        struct line *line = &lines->at[i];
        if (!is_of(line, worker))
            continue;
        line->calls = (const void *)at;
        at += line->n_calls * sizeof *line->calls;
        line->laps = (const void *)at;
        at += line->n_laps * sizeof *line->laps;
        line->waits = (const void *)at;
        at += line->n_waits * sizeof *line->waits;
    }
}

/* Bytes that arrived at a host serve all ranks of the host. */
static void relay(struct lines *lines, struct block *own)
{
    struct engine *engine = lines->engine;
    unsigned leader = common_leader(engine->rank);
    struct engine_bytes bytes = {.at = (char *)own, .n = engine->size * sizeof *own};
    memset(lines->out, 0, engine->size * sizeof *lines->out);
    for (unsigned i = 0; i < engine->size; i++)
        if (leader == engine->rank && i != leader && common_leader(i) == leader)
            lines->out[i] = bytes;
    const struct engine_bytes *in = engine_exchange(engine, lines->out);
    for (unsigned i = 0; i < engine->size && leader != engine->rank; i++) {
        struct block block;
        memcpy(&block, in[leader].at + i * sizeof block, sizeof block);
        if (block.bytes)
            take_far(lines, i, view(leader, &block));
    }
    engine_exchanged(engine);
}

/* The number of visible workers, without the present worker. */
static unsigned count_near(const struct engine *engine)
{
    unsigned n = 0;
    for (unsigned i = 0; i < engine->size; i++)
        n += i != engine->rank && common_is_seen(i);
    return n;
}

static void give_ranks(struct lines *lines)
{
    struct engine *engine = lines->engine;
    common_meet(engine);
    const struct engine_bytes none = {0};
    unsigned n_near = count_near(engine);
    bool has_far = n_near + 1 < engine->size;
    struct engine_bytes near = n_near ? make_near(lines) : none;
    struct engine_bytes far = has_far ? make_far(lines) : none;
    struct block *blocks = take_memory(engine->size * sizeof *blocks);
    lines->given->blocks = take_memory(engine->size * sizeof *lines->given->blocks);
    memset(lines->out, 0, engine->size * sizeof *lines->out);
    for (unsigned i = 0; i < engine->size; i++)
        if (i != engine->rank)
            lines->out[i] = common_is_seen(i) ? near : common_leader(i) == i ? far : none;
    const struct engine_bytes *in = engine_exchange(engine, lines->out);
    for (unsigned i = 0; i < engine->size; i++) {
        if (!in[i].n)
            continue;
        if (common_is_seen(i)) {
            take_near(lines, i, in[i].at);
            continue;
        }
        void *block = lines->given->blocks[i] = lines_room(lines, in[i].n);
        blocks[i] = (struct block){common_place(block), in[i].n};
        take_far(lines, i, memcpy(block, in[i].at, in[i].n));
    }
    engine_exchanged(engine);
    if (has_far)
        relay(lines, blocks);
    free(near.at);
    free(far.at);
    free(blocks);
}

/* ---- both ---- */

void given_lines(struct lines *lines)
{
    if (!lines->engine)
        return;
    lines->given = take_memory(sizeof *lines->given);
    if (has_ranks(lines))
        give_ranks(lines);
    else
        give_shown(lines);
}

void given_close(struct lines *lines)
{
    struct given *given = lines->given;
    if (!given)
        return;
    if (!has_ranks(lines))
        engine_exchanged(lines->engine);
    for (unsigned i = 0; given->blocks && i < lines->engine->size; i++)
        common_free(given->blocks[i]);
    common_free(given->few);
    free(given->blocks);
    free(given->out.at);
    free(given);
    lines->given = NULL;
}
