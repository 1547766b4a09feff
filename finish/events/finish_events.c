/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/events/finish_distance.h"
#include "finish/events/finish_events.h"
#include "finish/events/finish_moving.h"
#include "finish/events/finish_ring.h"
#include "finish/events/finish_whole.h"
#include "finish/find/finish_find.h"
#include "finish/find/finish_gathered.h"
#include "finish/find/finish_settled.h"
#include "finish/state/finish_chunk.h"
#include "finish/state/finish_trouble.h"

/* Load a block of an open file; the file is closed. `fd` may be the -errno of opening the file. */
static int64_t load_block(struct finish_moving *m, int fd, const char *path, uint64_t at)
{
    if (fd < 0)
        return fd;
    int64_t n = finish_try_read(m->f, path, fd, at, m->block, m->f->block_bytes + 1);
    spur_file_close(fd);
    if (n >= 0) /* bytes of an earlier chunk are no part of a cut-off chunk */
        memset(m->block + n, 0, m->f->block_bytes + 1 - (uint64_t)n);
    return n;
}

static int64_t load_made(struct finish_moving *m, uint64_t at)
{
    uint64_t size;
    return load_block(m, finish_out_try(m->f, &m->out, &size), finish_out_name(&m->out), at);
}

static void note_times(struct finish_moving *m)
{
    if (m->chunk.events && m->chunk.time_first < m->t->first)
        m->t->first = m->chunk.time_first;
    if (m->chunk.events && m->chunk.time_last > m->t->last)
        m->t->last = m->chunk.time_last;
}

/* ---- events left by a dead process ---- */

/* Does the file end inside of a chunk whose events come before `first_event`? */
static bool ends_before(const struct finish_moving *m, int fd, uint64_t at, uint64_t first_event)
{
    uint8_t raw[OTF2_FRAME_HEADER_BYTES];
    uint64_t first;
    if (finish_try_read(m->f, finish_out_name(&m->out), fd, at, raw, sizeof raw) != sizeof raw)
        return false;
    memcpy(&first, raw + 2, sizeof first);
    return first < first_event;
}

/*
 * Chunks already in the file, because the process died while writing, are not doubled. If the file
 * was cut off before these chunks, the chunks do not continue the end of the file.
 */
static int cut_before(struct finish_moving *m, uint64_t first_event)
{
    uint64_t size;
    int fd = finish_out_open(&m->out, &size);
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return fd;
    uint64_t whole = size / m->f->block_bytes;
    while (whole > 0 && !ends_before(m, fd, (whole - 1) * m->f->block_bytes, first_event))
        whole--;
    m->has_gap = ends_before(m, fd, whole * m->f->block_bytes, first_event);
    spur_file_close(fd);
    if (m->f->unread)
        return m->f->unread;
    if (m->has_gap && finish_whole_fill(m, whole)) {
        m->has_gap = false;
        return 0;
    }
    if (m->has_gap)
        return 0;
    if (whole == 0)
        return finish_out_remove(&m->out);
    return size == whole * m->f->block_bytes ? 0
                                             : finish_out_cut(&m->out, whole * m->f->block_bytes);
}

/* The time of the last event in the file, if the following chunks have no time. */
static int look_at_end(struct finish_moving *m)
{
    uint64_t size;
    int fd = finish_out_open(&m->out, &size);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    spur_file_close(fd);
    if (size < m->f->block_bytes)
        return 0;
    int64_t n = load_made(m, (size / m->f->block_bytes - 1) * m->f->block_bytes);
    if (n >= 0 && finish_chunk_scan(m->block, m->f->block_bytes, &m->chunk))
        note_times(m);
    return n < 0 ? (int)n : 0;
}

/* Is the chunk sealed: does the next chunk, whose number is given, continue behind the chunk? */
static bool goes_on(struct finish_moving *m, const char *segment, uint32_t next)
{
    uint8_t header[OTF2_FRAME_HEADER_BYTES];
    struct finish_chunk after;
    uint64_t size;
    int fd = finish_try_open(m->f, segment, &size);
    if (fd < 0)
        return false;
    int64_t n = finish_try_read(m->f, segment, fd, next * m->f->block_bytes, header, sizeof header);
    spur_file_close(fd);
    return n == sizeof header && finish_chunk_scan(header, sizeof header, &after) &&
           m->chunk.last == m->chunk.first + m->chunk.events - 1 &&
           after.first == m->chunk.last + 1;
}

/*
 * The open chunk stays in m->block. The process may have died while moving from a chunk to the next
 * chunk. Then the cursor belongs to the former chunk, and bytes of earlier use may follow the
 * header of the new chunk. A sealed chunk counts as a whole: the next chunk was lost with the end
 * of the file.
 */
static void take_open(struct finish_moving *m, uint64_t used, uint64_t bytes)
{
    bool is_sealed = finish_chunk_scan(m->block, bytes, &m->chunk) && m->chunk.last;
    used = used < bytes && !is_sealed ? used : bytes;
    if (used < OTF2_FRAME_HEADER_BYTES || !finish_chunk_scan(m->block, used, &m->chunk))
        return;
    uint64_t events = m->slot->cursor.events + 1; /* the last record may not be counted yet */
    if (m->chunk.first + m->chunk.events - 1 > events)
        finish_chunk_scan(m->block, OTF2_FRAME_HEADER_BYTES, &m->chunk);
    m->used = m->chunk.used;
    note_times(m);
}

/* The block of the i-th chunk of the slot. */
static uint32_t block_of(const struct spur_slot *slot, uint32_t n, uint32_t i)
{
    return slot->chunk[(slot->oldest % n + i) % n];
}

/* Handles a sealed chunk: the chunks of a ring wait until all are known. */
static int take_sealed(struct finish_moving *m, const char *segment, uint64_t at, bool is_ring)
{
    note_times(m);
    int err = is_ring ? 0 : finish_out_append(&m->out, m->block, m->f->block_bytes);
    /* The place of the chunk is free for the next chunk: the disk may be full. */
    if (!err && !is_ring && finish_out_is_file(&m->out))
        spur_file_punch(segment, at, m->f->block_bytes);
    return err;
}

/* Append the sealed chunks of the slot; the open chunk stays in m->block. */
static int take_chunks(struct finish_moving *m, bool is_ring)
{
    const struct spur_slot *slot = m->slot;
    char segment[SPUR_FILE_PATH_BYTES];
    uint32_t n = slot->chunks < SPUR_SLOT_CHUNKS ? slot->chunks : SPUR_SLOT_CHUNKS;
    uint64_t used = (uintptr_t)slot->cursor.pos - (uintptr_t)slot->cursor.chunk;
    int err = 0;
    finish_path(m->f, m->p, "segment", segment);
    for (uint32_t i = 0; i < n && !err; i++) {
        uint64_t at = block_of(slot, n, i) * m->f->block_bytes;
        uint64_t size;
        int64_t got = load_block(m, finish_try_open(m->f, segment, &size), segment, at);
        uint64_t bytes = got < 0 ? 0 : (uint64_t)got;
        bytes = bytes < m->f->block_bytes ? bytes : m->f->block_bytes;
        if (at != 0 && bytes > 0 && m->n_kept == 0 &&
            finish_is_zero(m->block, OTF2_FRAME_HEADER_BYTES))
            continue; /* moved by an earlier attempt */
        if (at == 0 || !finish_chunk_scan(m->block, bytes, &m->chunk))
            break;
        m->kept[m->n_kept++] = at;
        if (m->n_kept == 1) {
            m->kept_first = m->chunk.first;
            m->kept_depth = slot->chunk_depth[(slot->oldest % n + i) % n];
            /* A ring is written anew, whatever an earlier attempt has left. */
            err = is_ring ? 0 : cut_before(m, m->chunk.first);
        }
        if (m->has_gap)
            break;
        bool is_sealed = i + 1 < n && goes_on(m, segment, block_of(slot, n, i + 1));
        if (!is_sealed) {
            take_open(m, used, bytes);
            m->begun_depth = slot->chunk_depth[(slot->oldest % n + i) % n];
            m->is_begun = m->used > 0;
            break;
        }
        if (!err)
            err = take_sealed(m, segment, at, is_ring);
    }
    return err ? err : m->f->unread;
}

/*
 * For a ring without its beginning. A ring with its beginning has the same chunks as any other
 * thread.
 */
static int take_ring(struct finish_moving *m)
{
    char segment[SPUR_FILE_PATH_BYTES];
    int err = take_chunks(m, true);
    if (err || !m->n_kept || m->kept_first <= 1) {
        m->n_kept = m->used = 0;
        return err ? err : take_chunks(m, false);
    }
    const struct finish_chunks chunks = {finish_path(m->f, m->p, "segment", segment),
                                         m->n_kept,
                                         m->kept,
                                         m->used,
                                         m->kept_depth,
                                         m->block};
    m->t->has_file = true;
    return finish_ring(m->f, m->p, m->t, m->id, &m->out, &chunks, m->slot, &m->used);
}

static int adopt(struct finish_moving *m)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    int fd = spur_file_open(finish_path(m->f, m->p, "segment", path), &size);
    if (fd < 0)
        return fd;
    int64_t n = finish_try_read(m->f, path, fd, m->t->slot_at, m->slot, sizeof *m->slot);
    spur_file_close(fd);
    if (n != sizeof *m->slot)
        return n < 0 ? (int)n : -EIO;
    bool lacks_file = finish_whole_lacks_file(m, path);
    bool is_ring = m->p->head.flush == SPUR_FLUSH_RING || lacks_file;
    if (lacks_file && m->p->head.flush != SPUR_FLUSH_RING)
        finish_whole_note(m);
    int err = is_ring ? take_ring(m) : take_chunks(m, false);
    if (!err && !m->used && !m->chunk.first)
        err = cut_before(m, UINT64_MAX); /* nothing in memory: only whole chunks may stay */
    if (!err && !m->t->last) {
        uint8_t *open_chunk = m->block; /* kept: another chunk is looked at */
        struct finish_chunk chunk = m->chunk;
        m->block = spur_mem_new(m->f->block_bytes + 1);
        err = m->block ? look_at_end(m) : -ENOMEM;
        spur_mem_free(m->block, m->f->block_bytes + 1);
        m->block = open_chunk;
        m->chunk = chunk;
    }
    if (!err && !is_ring && !m->p->is_snapshot)
        err = finish_whole(m, m->has_gap ? FINISH_LOOK_CUT : finish_whole_look(m));
    return err ? err : finish_complete(m);
}

/* ---- files that should be complete ---- */

/*
 * Write a ring's file anew if the file has lost its beginning. The file stays in its old place
 * until the session is finished: a second attempt has to know the number of dropped events.
 */
static int write_ring(struct finish_moving *m, uint64_t size, bool is_closed)
{
    char source[SPUR_FILE_PATH_BYTES];
    uint64_t block = m->f->block_bytes, n = (size - (size >= 2 ? 2 : 0)) / block + 1;
    uint64_t *at = spur_mem_new(n * sizeof *at);
    if (!at)
        return -ENOMEM;
    int err = finish_drop_aside(m->f, m->id);
    if (!err)
        err = finish_take_from(m, source);
    for (uint64_t i = 0; i < n; i++)
        at[i] = i * block;
    const struct finish_chunks chunks = {source, n, at, size - (n - 1) * block, 0, m->block};
    if (!err)
        err = finish_ring(m->f, m->p, m->t, m->id, &m->out, &chunks, NULL, &m->used);
    spur_mem_free(at, n * sizeof *at);
    if (err)
        return err;
    if (is_closed)
        return finish_out_append(&m->out, m->block, m->used);
    finish_chunk_scan(m->block, m->used, &m->chunk);
    m->used = m->chunk.used;
    m->f->repaired++;
    return finish_complete(m);
}

/* A closed file has its number of events in the header of the last chunk. */
static int check_file(struct finish_moving *m)
{
    uint8_t first[OTF2_FRAME_HEADER_BYTES + OTF2_FRAME_TIME_BYTES], last[OTF2_FRAME_HEADER_BYTES],
        end[2] = {0};
    uint64_t size, block = m->f->block_bytes;
    const char *name = finish_out_name(&m->out);
    int fd = finish_out_open(&m->out, &size);
    if (fd < 0)
        return fd;
    uint64_t last_at = size < 2 ? 0 : (size - 2) / block * block; /* 01 may stand behind a chunk */
    bool is_closed = size >= OTF2_FRAME_HEADER_BYTES + 2 &&
                     finish_try_read(m->f, name, fd, size - 2, end, 2) == 2 &&
                     end[0] == OTF2_FRAME_END_OF_FILE && end[1] == OTF2_FRAME_END_OF_BUFFER &&
                     finish_try_read(m->f, name, fd, last_at, last, sizeof last) == sizeof last;
    if (finish_try_read(m->f, name, fd, 0, first, sizeof first) == sizeof first &&
        first[OTF2_FRAME_HEADER_BYTES] == OTF2_FRAME_TIME)
        m->t->first = finish_chunk_u64(first + OTF2_FRAME_HEADER_BYTES + 1);
    spur_file_close(fd);
    if (m->f->unread)
        return m->f->unread;
    if (m->p->head.flush == SPUR_FLUSH_RING && size > OTF2_FRAME_HEADER_BYTES &&
        finish_chunk_u64(first + OTF2_FRAME_FIRST_AT) > 1)
        return write_ring(m, size, is_closed);
    bool is_sure = is_closed && finish_whole_look(m) == FINISH_LOOK_QUICK;
    const uint64_t cut = m->f->cut_off;
    int err = is_sure ? 0 : finish_whole(m, is_closed ? FINISH_LOOK_ALL : FINISH_LOOK_CUT);
    if (err || m->f->cut_off != cut)
        return err ? err : finish_complete(m);
    m->t->events = finish_chunk_u64(last + OTF2_FRAME_LAST_AT);
    m->bytes = size;
    if (m->p->state == FINISH_ENDED)
        return 0;
    /* The process's end is unknown: the threads' times count. */
    int64_t n = load_made(m, last_at);
    if (n > 0 && finish_chunk_scan(m->block, (uint64_t)n, &m->chunk))
        note_times(m);
    return n < 0 ? (int)n : 0;
}

/* For the last message: a file of unknown size is looked at once more. */
static void count_bytes(struct finish_moving *m)
{
    if (!m->bytes) {
        int fd = finish_out_open(&m->out, &m->bytes);
        if (fd >= 0)
            spur_file_close(fd);
        m->bytes = fd >= 0 ? m->bytes : 0;
    }
    m->f->bytes += m->bytes;
}

/* The file is complete: note the place of the file, if the file does not stay there. */
static int keep(struct finish_moving *m)
{
    int err = finish_distances(m->f, m->p, &m->out, m->block);
    if (!err && m->f->container) {
        err = finish_out_keep(&m->out, m->f, m->in, &m->t->evt);
        m->bytes = m->t->evt.bytes;
    }
    return err;
}

static int make_events(struct finish_moving *m)
{
    bool is_sure = false;
    int err = 0;
    if (m->p->is_settled && finish_settled_of(m->p, m->t))
        err = finish_take_told(m, &is_sure);
    else if (m->t->gathered_bytes)
        err = finish_gathered_take(m, &is_sure);
    else
        finish_take_file(m);
    m->used = m->n_kept = m->kept_first = 0;
    m->is_begun = m->has_gap = false;
    m->chunk = (struct finish_chunk){0};
    if (!err)
        err = m->f->unread;
    if (!err && !is_sure)
        err = m->t->is_live ? adopt(m) : m->t->has_file ? check_file(m) : finish_complete(m);
    return err;
}

static int move_thread(struct finish_moving *m)
{
    m->id = finish_location_id(m->p, m->t);
    m->bytes = 0;
    m->t->evt = (struct finish_source){.bytes = 0};
    finish_out_begin(&m->out, m->f, m->id, "evt");
    int err = make_events(m);
    if (!err && !m->t->evt.bytes)
        err = keep(m);
    if (!err)
        count_bytes(m);
    m->t->bytes = m->bytes;
    m->f->events += m->t->events;
    m->f->n_threads++;
    err = finish_blame(m->f, err, "%s", finish_out_name(&m->out));
    finish_out_end(&m->out, m->f);
    return err;
}

/* If the process has closed everything, only the header of the segment is still needed. */
static void free_segment(const struct finish *f, const struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (p->state == FINISH_ENDED && !p->head.has_kept && !p->is_settled && !f->is_settling)
        (void)spur_file_cut(finish_path(f, p, "segment", path), SPUR_SLOTS_OFFSET);
}

int finish_events(struct finish *f, struct finish_process *p)
{
    /* Memory of this size is a mapping of its own: aligned for the slot, which lies first. */
    uint64_t slot_bytes = sizeof(struct spur_slot);
    uint64_t bytes = slot_bytes + f->block_bytes + 1;
    struct finish_moving *m = spur_mem_new(sizeof *m);
    char *memory = spur_mem_new(bytes);
    int err = m && memory ? 0 : -ENOMEM;
    if (!err) {
        m->f = f;
        m->p = p;
        m->slot = (struct spur_slot *)(void *)memory;
        m->block = (uint8_t *)memory + slot_bytes;
        free_segment(f, p);
    }
    for (uint64_t i = 0; i < p->n_threads && !err; i++) {
        m->t = &p->threads[i];
        err = move_thread(m);
    }
    if (m)
        finish_window_free(&m->gathered);
    spur_mem_free(memory, bytes);
    spur_mem_free(m, sizeof *m);
    return finish_blame(f, err, "%s", f->dir);
}
