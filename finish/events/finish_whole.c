/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/events/finish_whole.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "finish/events/finish_open.h"
#include "finish/state/finish_trouble.h"

enum { SECTOR_BYTES = 512, UNSURE = 4 };

/* A walk through a thread's events from the first event on. */
struct walk {
    struct finish_moving *m;
    uint8_t *block;       /* a chunk of the file */
    struct spur_slot *to; /* state of the slot before event `next` */
    struct finish_open open;
    uint64_t next;        /* number of the next expected event */
    uint64_t end, before; /* ends of a chunk's last event and of the event before */
    uint64_t first, last; /* times */
    bool has_ended;
};

enum finish_look finish_whole_look(const struct finish_moving *m)
{
    bool is_here = strcmp(m->p->head.boot_id, m->f->boot_id) == 0;
    return m->f->options.recover && !is_here ? FINISH_LOOK_ALL : FINISH_LOOK_QUICK;
}

bool finish_whole_lacks_file(const struct finish_moving *m, const char *segment)
{
    uint8_t header[OTF2_FRAME_HEADER_BYTES];
    struct finish_chunk chunk = {.first = 0};
    const struct spur_slot *slot = m->slot;
    uint32_t n = slot->chunks < SPUR_SLOT_CHUNKS ? slot->chunks : SPUR_SLOT_CHUNKS;
    uint64_t size;
    int fd = finish_out_try(m->f, &m->out, &size);
    if (fd >= 0)
        spur_file_close(fd);
    if (fd >= 0 && size > OTF2_FRAME_HEADER_BYTES)
        return false;
    fd = finish_try_open(m->f, segment, &size);
    if (fd < 0)
        return false;
    for (uint32_t i = 0; i < n && chunk.first == 0; i++) {
        uint64_t at = slot->chunk[(slot->oldest % n + i) % n] * m->f->block_bytes;
        if (at == 0 ||
            finish_try_read(m->f, segment, fd, at, header, sizeof header) != sizeof header)
            break;
        (void)finish_chunk_scan(header, sizeof header, &chunk);
    }
    spur_file_close(fd);
    return chunk.first > 1;
}

/* ---- is anything missing? ---- */

static void see_place(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    struct walk *w = data;
    (void)at;
    if (chunk->used != w->end)
        w->before = w->end;
    w->end = chunk->used;
}

/*
 * The number of valid bytes of a chunk. Sectors that were never written are zeros: if only zeros
 * follow from the middle of the last event on, the rest of the event was lost.
 */
static uint64_t whole_bytes(struct walk *w, const uint8_t *block, uint64_t n)
{
    struct finish_chunk chunk;
    w->end = w->before = OTF2_FRAME_HEADER_BYTES;
    (void)finish_chunk_walk(block, n, &chunk, w, see_place);
    uint64_t sector = (w->before / SECTOR_BYTES + 1) * SECTOR_BYTES;
    bool is_lost =
        chunk.events && sector < chunk.used && finish_is_zero(block + sector, n - sector);
    return is_lost ? w->before : chunk.used;
}

static bool is_sealed(const struct finish_chunk *chunk)
{
    return chunk->last >= chunk->first && chunk->events == chunk->last - chunk->first + 1;
}

/*
 * Does the thread end well: with an open chunk behind the file, and all events counted by the slot?
 * The slot's count may be ahead of the written events by the events that the thread was just taking
 * back, or writing.
 */
static bool ends_well(struct walk *w, uint64_t next, bool is_quick)
{
    const struct finish_moving *m = w->m;
    uint64_t ahead = m->t->is_live ? m->slot->cursor.events : 0;
    if (!m->used)
        return next > ahead;
    return m->chunk.first == next && next + m->chunk.events + UNSURE > ahead &&
           (is_quick || whole_bytes(w, m->block, m->f->block_bytes) == m->used);
}

bool finish_whole_fill(const struct finish_moving *m, uint64_t whole)
{
    struct finish_chunk chunk;
    uint64_t size, block = m->f->block_bytes;
    uint8_t *bytes = spur_mem_new(block);
    int fd = bytes ? finish_out_try(m->f, &m->out, &size) : -ENOMEM;
    int64_t n =
        fd < 0 ? 0
               : finish_try_read(m->f, finish_out_name(&m->out), fd, whole * block, bytes, block);
    bool is_whole = n > 0 && finish_chunk_scan(bytes, (uint64_t)n, &chunk) && is_sealed(&chunk);
    if (fd >= 0)
        spur_file_close(fd);
    spur_mem_free(bytes, block);
    return is_whole && finish_out_cut(&m->out, (whole + 1) * block) == 0;
}

static bool goes_through(struct walk *w, bool is_quick)
{
    struct finish_chunk chunk = {0};
    uint64_t size = 0, next = 1, block = w->m->f->block_bytes;
    int fd = finish_out_try(w->m->f, &w->m->out, &size);
    bool is_well = true;
    for (uint64_t at = 0; is_well && at + OTF2_FRAME_HEADER_BYTES < size; at += block) {
        bool is_short = is_quick && at + block + OTF2_FRAME_HEADER_BYTES < size;
        int64_t n = finish_try_read(w->m->f, finish_out_name(&w->m->out), fd, at, w->block,
                                    is_short ? OTF2_FRAME_HEADER_BYTES : block);
        is_well = n > 0 && finish_chunk_scan(w->block, (uint64_t)n, &chunk) &&
                  chunk.first == next && chunk.last >= next && (is_short || is_sealed(&chunk));
        next = chunk.last + 1;
    }
    if (fd >= 0)
        spur_file_close(fd);
    return is_well && ends_well(w, next, is_quick);
}

/* ---- whole parts ---- */

static void see_event(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    struct walk *w = data;
    w->to->is_main |= chunk->event == OTF2_EVT_ID_ProgramBegin;
    if (chunk->event == OTF2_EVT_ID_ThreadBegin) {
        w->to->contingent = finish_chunk_c32(at + 2);
        w->to->has_thread_begin = true;
    }
    w->has_ended |= chunk->event == OTF2_EVT_ID_ThreadEnd || chunk->event == OTF2_EVT_ID_ProgramEnd;
}

/* Take the events of a chunk with `used` valid bytes. True: another chunk may follow. */
static bool take(struct walk *w, const uint8_t *block, uint64_t n, uint64_t *used)
{
    struct finish_chunk chunk;
    *used = 0;
    if (!finish_chunk_scan(block, n, &chunk) || chunk.first != w->next || !chunk.events)
        return false;
    bool goes_on = is_sealed(&chunk) && !chunk.is_closed;
    *used = goes_on ? chunk.used : whole_bytes(w, block, n);
    finish_open_follow(&w->open, block, *used);
    (void)finish_chunk_walk(block, *used, &chunk, w, see_event);
    w->next += chunk.events;
    w->first = chunk.events && chunk.time_first < w->first ? chunk.time_first : w->first;
    w->last = chunk.events ? chunk.time_last : w->last;
    return goes_on;
}

/*
 * The number of whole chunks of the file; `used`: the valid bytes of the next chunk, in w->block.
 */
static bool take_file(struct walk *w, uint64_t *chunks, uint64_t *used)
{
    uint64_t size = 0, block = w->m->f->block_bytes;
    int fd = finish_out_try(w->m->f, &w->m->out, &size);
    bool goes_on = true;
    *chunks = *used = 0;
    for (; fd >= 0 && goes_on && *chunks * block < size; *chunks += goes_on) {
        int64_t n = finish_try_read(w->m->f, finish_out_name(&w->m->out), fd, *chunks * block,
                                    w->block, block);
        goes_on = n > 0 && take(w, w->block, (uint64_t)n, used);
    }
    if (fd >= 0)
        spur_file_close(fd);
    return goes_on;
}

/* The writer goes on behind these bytes of m->block: the chunk is open again. */
static void reopen(struct finish_moving *m, uint64_t used)
{
    m->used = 0;
    m->chunk = (struct finish_chunk){0};
    if (!used)
        return;
    (void)finish_chunk_scan(m->block, OTF2_FRAME_HEADER_BYTES, &m->chunk);
    finish_chunk_number_from(m->block, m->chunk.first, 0);
    memset(m->block + used, 0, m->f->block_bytes + 1 - used);
    (void)finish_chunk_scan(m->block, used, &m->chunk);
    m->used = m->chunk.used;
}

static int cut_file(struct finish_moving *m, uint64_t chunks)
{
    m->t->has_file = chunks > 0;
    if (chunks)
        return finish_out_cut(&m->out, chunks * m->f->block_bytes);
    int err = finish_out_remove(&m->out);
    return err == -ENOENT ? 0 : err;
}

void finish_whole_note(struct finish_moving *m)
{
    struct spur_segment *head = &m->p->head;
    m->f->cut_off++;
    if (head->stopped)
        return;
    head->stopped = FINISH_STOP_CUT;
    head->stopped_at = m->t->last;
}

static int cut(struct walk *w)
{
    struct finish_moving *m = w->m;
    uint64_t chunks, used;
    bool goes_on = take_file(w, &chunks, &used);
    if (m->f->unread)
        return m->f->unread;
    if (goes_on && m->used)
        (void)take(w, m->block, m->used, &used);
    else if (goes_on)
        used = 0;
    else
        memcpy(m->block, w->block, used);
    reopen(m, used);
    w->to->depth = w->open.depth;
    w->to->creating = m->slot->creating;
    memcpy(m->slot, w->to, sizeof *m->slot);
    m->is_begun = false;
    m->t->is_live = !w->has_ended;
    m->t->first = w->first;
    m->t->last = w->last;
    finish_whole_note(m);
    return cut_file(m, chunks);
}

int finish_whole(struct finish_moving *m, enum finish_look look)
{
    /* Memory of this size is a mapping of its own: aligned for the slot, which lies first. */
    uint64_t bytes = sizeof(struct spur_slot) + m->f->block_bytes;
    char *memory = spur_mem_new(bytes);
    if (!memory)
        return -ENOMEM;
    if (!m->t->is_live)
        memset(m->slot, 0, sizeof *m->slot);
    struct walk w = {.m = m,
                     .block = (uint8_t *)memory + sizeof(struct spur_slot),
                     .to = (struct spur_slot *)(void *)memory,
                     .next = 1,
                     .first = UINT64_MAX};
    w.open.region = w.to->region;
    int err = look == FINISH_LOOK_CUT || !goes_through(&w, look == FINISH_LOOK_QUICK) ? cut(&w) : 0;
    spur_mem_free(memory, bytes);
    return err;
}
