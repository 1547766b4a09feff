/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <otf2x/otf2x.h>

#include "agent/finish_chunk.h"
#include "agent/finish_file.h"
#include "agent/finish_open.h"
#include "agent/finish_parts.h"
#include "agent/finish_ring.h"
#include "agent/mem.h"

enum { THREAD_CREATE = 62, THREAD_END = 65, PROGRAM_END = 84 };

/* One thread's file on its way to the archive. */
struct moving {
    struct finish *f;
    struct finish_process *p;
    struct finish_thread *t;
    uint64_t id;
    char path[SPUR_FILE_PATH_BYTES]; /* in the archive */
    uint8_t *block;                  /* [block_bytes + 1] */
    struct finish_chunk chunk;       /* the last one that was looked at */
    uint64_t used;                   /* of `block`: what the file does not hold yet */
    uint32_t begun_depth; /* of what was open before that, if it is a chunk's beginning */
    bool is_begun;
    struct spur_slot *slot;
    uint64_t kept[SPUR_SLOT_CHUNKS]; /* of a ring: where its chunks lie in the segment */
    uint64_t n_kept, kept_first;     /* how many, and the number of the first event in them */
    uint32_t kept_depth;             /* of what was open before them */
};

static bool move_from(const char *from, const char *to)
{
    uint64_t size;
    int fd = spur_file_open(from, &size);
    if (fd < 0)
        return false; /* not there, or nothing that a process of ours has made */
    spur_file_close(fd);
    return rename(from, to) == 0;
}

/* An earlier attempt to finish may have moved it already; its archive is in DIR/.spur/retry. */
static void move_file(struct moving *m)
{
    char from[SPUR_FILE_PATH_BYTES], name[64];
    snprintf(name, sizeof name, "traces/%u.evt", m->t->number);
    m->t->has_file = move_from(finish_path(m->f, m->p, name, from), m->path);
    if (!m->t->has_file) {
        snprintf(name, sizeof name, "retry/%llu.evt", (unsigned long long)m->id);
        m->t->has_file = move_from(finish_path(m->f, NULL, name, from), m->path);
    }
}

static int64_t load_block(struct moving *m, const char *path, uint64_t at)
{
    uint64_t size;
    int fd = spur_file_open(path, &size);
    if (fd < 0)
        return fd;
    int64_t n = spur_file_read(fd, at, m->block, m->f->block_bytes + 1);
    spur_file_close(fd);
    if (n >= 0)
        m->block[n] = 0;
    return n;
}

static void note_times(struct moving *m)
{
    if (m->chunk.events && m->chunk.time_first < m->t->first)
        m->t->first = m->chunk.time_first;
    if (m->chunk.events && m->chunk.time_last > m->t->last)
        m->t->last = m->chunk.time_last;
}

/* ---- what a dead process left ---- */

/* Chunks that the file holds already, because the process died while it wrote, are not doubled. */
static int cut_before(struct moving *m, uint64_t first_event)
{
    uint64_t size, first;
    int fd = spur_file_open(m->path, &size);
    if (fd == -ENOENT)
        return 0;
    if (fd < 0)
        return fd;
    uint64_t whole = size / m->f->block_bytes;
    for (; whole > 0; whole--) {
        uint8_t raw[FINISH_CHUNK_HEADER];
        uint64_t at = (whole - 1) * m->f->block_bytes;
        if (spur_file_read(fd, at, raw, sizeof raw) != sizeof raw)
            break;
        memcpy(&first, raw + 2, sizeof first);
        if (first < first_event)
            break;
    }
    spur_file_close(fd);
    if (whole == 0)
        return remove(m->path) < 0 ? -errno : 0;
    return size == whole * m->f->block_bytes ? 0
                                             : spur_file_cut(m->path, whole * m->f->block_bytes);
}

/* The time of the last event in the file, if what follows has none. */
static int look_at_end(struct moving *m)
{
    uint64_t size;
    int fd = spur_file_open(m->path, &size);
    if (fd < 0)
        return fd == -ENOENT ? 0 : fd;
    spur_file_close(fd);
    if (size < m->f->block_bytes)
        return 0;
    int64_t n = load_block(m, m->path, (size / m->f->block_bytes - 1) * m->f->block_bytes);
    if (n >= 0 && finish_chunk_scan(m->block, m->f->block_bytes, &m->chunk))
        note_times(m);
    return n < 0 ? (int)n : 0;
}

/* Is the chunk sealed: does the next one, whose number is given, go on behind it? */
static bool goes_on(struct moving *m, const char *segment, uint32_t next)
{
    uint8_t header[FINISH_CHUNK_HEADER];
    struct finish_chunk after;
    uint64_t size;
    int fd = spur_file_open(segment, &size);
    if (fd < 0)
        return false;
    int64_t n = spur_file_read(fd, next * m->f->block_bytes, header, sizeof header);
    spur_file_close(fd);
    return n == sizeof header && finish_chunk_scan(header, sizeof header, &after) &&
           m->chunk.last == m->chunk.first + m->chunk.events - 1 &&
           after.first == m->chunk.last + 1;
}

/*
 * The open chunk stays in m->block. If the process died while it went on from one chunk to the
 * next, the cursor belongs to the former and bytes of earlier use may follow the new one's header.
 */
static void take_open(struct moving *m, uint64_t used)
{
    if (used < FINISH_CHUNK_HEADER || !finish_chunk_scan(m->block, used, &m->chunk))
        return;
    uint64_t events = m->slot->cursor.events + 1; /* the last record may not be counted yet */
    if (m->chunk.first + m->chunk.events - 1 > events)
        finish_chunk_scan(m->block, FINISH_CHUNK_HEADER, &m->chunk);
    m->used = m->chunk.used;
    note_times(m);
}

/* The block of the i-th chunk of the slot. */
static uint32_t block_of(const struct spur_slot *slot, uint32_t n, uint32_t i)
{
    return slot->chunk[(slot->oldest % n + i) % n];
}

static bool is_zero(const uint8_t *bytes, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        if (bytes[i])
            return false;
    return true;
}

/* What becomes of a sealed chunk: those of a ring wait until all are known. */
static int take_sealed(struct moving *m, const char *segment, uint64_t at, bool is_ring)
{
    note_times(m);
    int err = is_ring ? 0 : spur_file_append(m->path, m->block, m->f->block_bytes);
    if (!err && !is_ring) /* its place is free for the next one: the disk may be full */
        spur_file_punch(segment, at, m->f->block_bytes);
    return err;
}

/* Append the sealed chunks of the slot; the open one stays in m->block. */
static int take_chunks(struct moving *m, bool is_ring)
{
    const struct spur_slot *slot = m->slot;
    char segment[SPUR_FILE_PATH_BYTES];
    uint32_t n = slot->chunks < SPUR_SLOT_CHUNKS ? slot->chunks : SPUR_SLOT_CHUNKS;
    uint64_t used = (uintptr_t)slot->cursor.pos - (uintptr_t)slot->cursor.chunk;
    int err = 0;
    finish_path(m->f, m->p, "segment", segment);
    for (uint32_t i = 0; i < n && !err; i++) {
        uint64_t at = block_of(slot, n, i) * m->f->block_bytes;
        int64_t got = load_block(m, segment, at);
        uint64_t bytes = got < 0 ? 0 : (uint64_t)got;
        bytes = bytes < m->f->block_bytes ? bytes : m->f->block_bytes;
        if (at != 0 && bytes > 0 && m->n_kept == 0 && is_zero(m->block, FINISH_CHUNK_HEADER))
            continue; /* moved by an earlier attempt */
        if (at == 0 || !finish_chunk_scan(m->block, bytes, &m->chunk))
            break;
        m->kept[m->n_kept++] = at;
        if (m->n_kept == 1) {
            m->kept_first = m->chunk.first;
            m->kept_depth = slot->chunk_depth[(slot->oldest % n + i) % n];
            err = cut_before(m, m->chunk.first);
        }
        bool is_sealed = i + 1 < n && goes_on(m, segment, block_of(slot, n, i + 1));
        if (!is_sealed) {
            take_open(m, used < bytes ? used : bytes);
            m->begun_depth = slot->chunk_depth[(slot->oldest % n + i) % n];
            m->is_begun = m->used > 0;
            break;
        }
        if (!err)
            err = take_sealed(m, segment, at, is_ring);
    }
    return err;
}

/* Of a ring that lost its beginning; otherwise the chunks are those of any other thread. */
static int take_ring(struct moving *m)
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
    return finish_ring(m->f, m->p, m->t, m->id, m->path, &chunks, m->slot, &m->used);
}

/*
 * The process may have died between writing what opens or closes something and noting it, or
 * between noting that it takes something back and doing so: what the open chunk says counts.
 */
static uint32_t true_depth(struct moving *m)
{
    struct finish_open open = {m->slot->region, m->is_begun ? m->begun_depth : m->slot->depth};
    finish_open_follow(&open, m->block, m->is_begun ? m->used : 0);
    return open.depth;
}

static OTF2_AttributeList *mark(const struct moving *m, OTF2_AttributeList *list)
{
    uint32_t local = (uint32_t)m->p->map.of[SPUR_SPACE_ATTRIBUTE].n - 1;
    OTF2_AttributeList_AddUint8(list, local, 1);
    m->f->repaired++;
    return list;
}

/* The process died after it had ended this thread and before it said so. */
static bool has_ended(const struct moving *m)
{
    uint8_t last = m->used && m->chunk.events ? m->chunk.event : 0;
    return last == PROGRAM_END || (last == THREAD_END && !m->slot->is_main);
}

/* The thread was there until its process died, whatever it waited for. */
static uint64_t end_of(const struct moving *m)
{
    return m->p->end.ticks > m->t->last ? m->p->end.ticks : m->t->last;
}

static OTF2_ErrorCode close_one(const struct moving *m, OTF2_EvtWriter *writer,
                                OTF2_AttributeList *list, uint32_t word)
{
    uint32_t id = word & SPUR_OPEN_ID;
    uint64_t time = end_of(m);
    switch (word & ~(uint32_t)SPUR_OPEN_ID) {
    case SPUR_OPEN_TEAM:
        return id < m->p->map.of[SPUR_SPACE_COMM].n
                   ? OTF2_EvtWriter_ThreadTeamEnd(writer, list, time, id)
                   : OTF2_SUCCESS;
    case SPUR_OPEN_FORK:
        return OTF2_EvtWriter_ThreadJoin(writer, list, time, (OTF2_Paradigm)id);
    case SPUR_OPEN_CONTEXT:
        return id < m->p->map.of[SPUR_SPACE_CALLING_CONTEXT].n
                   ? OTF2_EvtWriter_CallingContextLeave(writer, list, time, id)
                   : OTF2_SUCCESS;
    default:
        if (word >= m->p->map.of[SPUR_SPACE_REGION].n)
            word = OTF2_UNDEFINED_REGION;
        return OTF2_EvtWriter_Leave(writer, list, time, word);
    }
}

/* It was creating a thread that had begun already; the record may just not be taken note of. */
static OTF2_ErrorCode put_created(const struct moving *m, OTF2_EvtWriter *writer,
                                  OTF2_AttributeList *list)
{
    uint64_t creating = m->slot->creating;
    uint32_t contingent = spur_creating_contingent(creating);
    bool is_put = m->used && m->chunk.events && m->chunk.event == THREAD_CREATE;
    if (!(creating & SPUR_CREATING_BEGUN) || is_put ||
        contingent >= m->p->map.of[SPUR_SPACE_COMM].n)
        return OTF2_SUCCESS;
    return OTF2_EvtWriter_ThreadCreate(writer, mark(m, list), m->t->last, contingent,
                                       spur_creating_number(creating));
}

static int64_t status_of(const struct finish_process *p)
{
    return p->end.is_seen && WIFEXITED(p->end.status) ? WEXITSTATUS(p->end.status)
                                                      : OTF2_UNDEFINED_INT64;
}

static OTF2_ErrorCode close_regions(struct moving *m, OTF2_EvtWriter *writer,
                                    OTF2_AttributeList *list)
{
    const struct spur_slot *slot = m->slot;
    uint64_t time = end_of(m);
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (has_ended(m))
        return OTF2_SUCCESS;
    error = put_created(m, writer, list);
    for (uint32_t depth = true_depth(m); depth-- > 0 && !error;) {
        uint32_t word = depth < SPUR_SLOT_REGIONS ? slot->region[depth] : SPUR_OPEN_ID;
        error = close_one(m, writer, mark(m, list), word);
    }
    if (!error && slot->has_thread_begin && slot->contingent < m->p->map.of[SPUR_SPACE_COMM].n)
        error = OTF2_EvtWriter_ThreadEnd(writer, mark(m, list), time, slot->contingent,
                                         OTF2_UNDEFINED_UINT64);
    if (!error && slot->is_main)
        error = OTF2_EvtWriter_ProgramEnd(writer, mark(m, list), time, status_of(m->p));
    m->t->last = time;
    return error;
}

/* Go on behind the whole chunks of the file with what m->block holds, and end it. */
static int complete(struct moving *m)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(m->f->archive, m->id);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_ErrorCode error = writer && list ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    if (!error && (m->used || m->t->has_file || m->t->is_live)) {
        error = OTF2X_EvtWriter_Adopt(writer, m->used ? m->block : NULL, m->used);
        if (error == OTF2_ERROR_INTEGRITY_FAULT && m->used)
            error = OTF2X_EvtWriter_Adopt(writer, NULL, 0);
    }
    if (!error && m->t->is_live)
        error = close_regions(m, writer, list);
    if (!error)
        error = OTF2_EvtWriter_GetNumberOfEvents(writer, &m->t->events);
    if (writer) {
        OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(m->f->archive, writer);
        error = error ? error : closed;
    }
    if (list)
        OTF2_AttributeList_Delete(list);
    return finish_check(m->f, error, m->path);
}

static int adopt(struct moving *m)
{
    char path[SPUR_FILE_PATH_BYTES];
    uint64_t size;
    int fd = spur_file_open(finish_path(m->f, m->p, "segment", path), &size);
    if (fd < 0)
        return fd;
    int64_t n = spur_file_read(fd, m->t->slot_at, m->slot, sizeof *m->slot);
    spur_file_close(fd);
    if (n != sizeof *m->slot)
        return n < 0 ? (int)n : -EIO;
    bool is_ring = m->p->head.flush == SPUR_FLUSH_RING;
    int err = is_ring ? take_ring(m) : take_chunks(m, false);
    if (!err && !m->used && !m->chunk.first)
        err = cut_before(m, UINT64_MAX); /* nothing in memory: only whole chunks may stay */
    if (!err && !m->t->last) {
        uint8_t *open_chunk = m->block; /* keep it: another chunk is looked at */
        struct finish_chunk chunk = m->chunk;
        m->block = spur_mem_new(m->f->block_bytes + 1);
        err = m->block ? look_at_end(m) : -ENOMEM;
        spur_mem_free(m->block, m->f->block_bytes + 1);
        m->block = open_chunk;
        m->chunk = chunk;
    }
    return err ? err : complete(m);
}

/* ---- files that should be complete ---- */

/* The file ends in the middle of a chunk: keep what is whole of it. */
static int repair(struct moving *m, uint64_t size)
{
    uint64_t whole = size / m->f->block_bytes * m->f->block_bytes;
    int64_t n = load_block(m, m->path, whole);
    if (n < 0)
        return (int)n;
    if (finish_chunk_scan(m->block, (uint64_t)n, &m->chunk)) {
        note_times(m);
        m->used = m->chunk.used;
    }
    int err = whole ? spur_file_cut(m->path, whole) : remove(m->path) < 0 ? -errno : 0;
    m->t->has_file = whole > 0;
    m->f->repaired++;
    return err ? err : complete(m);
}

/*
 * A ring's file that lost its beginning is written anew. It stays where the process has made it
 * until the session is finished: a second attempt has to know what was dropped.
 */
static int write_ring(struct moving *m, uint64_t size, bool is_closed)
{
    char source[SPUR_FILE_PATH_BYTES], name[64];
    uint64_t block = m->f->block_bytes, n = (size - (size >= 2 ? 2 : 0)) / block + 1;
    uint64_t *at = spur_mem_new(n * sizeof *at);
    snprintf(name, sizeof name, "retry/%llu.evt", (unsigned long long)m->id);
    remove(finish_path(m->f, NULL, name, source));
    snprintf(name, sizeof name, "traces/%u.evt", m->t->number);
    if (!at)
        return -ENOMEM;
    int err = rename(m->path, finish_path(m->f, m->p, name, source)) < 0 ? -errno : 0;
    for (uint64_t i = 0; i < n; i++)
        at[i] = i * block;
    const struct finish_chunks chunks = {source, n, at, size - (n - 1) * block, 0, m->block};
    if (!err)
        err = finish_ring(m->f, m->p, m->t, m->id, m->path, &chunks, NULL, &m->used);
    spur_mem_free(at, n * sizeof *at);
    if (err)
        return err;
    if (is_closed)
        return spur_file_append(m->path, m->block, m->used);
    finish_chunk_scan(m->block, m->used, &m->chunk);
    m->used = m->chunk.used;
    m->f->repaired++;
    return complete(m);
}

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* A closed file says how many events it has, in the header of its last chunk. */
static int check_file(struct moving *m)
{
    uint8_t first[FINISH_CHUNK_HEADER + 9], last[FINISH_CHUNK_HEADER], end[2] = {0};
    uint64_t size, block = m->f->block_bytes;
    int fd = spur_file_open(m->path, &size);
    if (fd < 0)
        return fd;
    uint64_t last_at = size < 2 ? 0 : (size - 2) / block * block; /* 01 may stand behind a chunk */
    bool is_closed = size >= FINISH_CHUNK_HEADER + 2 && spur_file_read(fd, size - 2, end, 2) == 2 &&
                     end[0] == 2 && end[1] == 1 &&
                     spur_file_read(fd, last_at, last, sizeof last) == sizeof last;
    if (spur_file_read(fd, 0, first, sizeof first) == sizeof first &&
        first[FINISH_CHUNK_HEADER] == 5)
        m->t->first = get_u64(first + FINISH_CHUNK_HEADER + 1);
    spur_file_close(fd);
    if (m->p->head.flush == SPUR_FLUSH_RING && size > FINISH_CHUNK_HEADER && get_u64(first + 2) > 1)
        return write_ring(m, size, is_closed);
    if (!is_closed)
        return repair(m, size);
    m->t->events = get_u64(last + 10);
    if (m->p->state == FINISH_ENDED)
        return 0;
    /* The process does not say when it ended, so its threads do. */
    int64_t n = load_block(m, m->path, last_at);
    if (n > 0 && finish_chunk_scan(m->block, (uint64_t)n, &m->chunk))
        note_times(m);
    return n < 0 ? (int)n : 0;
}

static int move_thread(struct moving *m)
{
    m->id = m->p->number << 32 | m->t->number;
    snprintf(m->path, sizeof m->path, "%s/traces/%llu.evt", m->f->dir, (unsigned long long)m->id);
    move_file(m);
    m->used = m->n_kept = m->kept_first = 0;
    m->is_begun = false;
    m->chunk = (struct finish_chunk){0};
    int err = m->t->is_live ? adopt(m) : m->t->has_file ? check_file(m) : complete(m);
    m->f->events += m->t->events;
    m->f->n_threads++;
    return finish_blame(m->f, err, "%s", m->path);
}

/* Of a process that has closed everything the header is all that is still needed. */
static void free_segment(const struct finish *f, const struct finish_process *p)
{
    char path[SPUR_FILE_PATH_BYTES];
    if (p->state == FINISH_ENDED && !p->head.has_kept)
        (void)spur_file_cut(finish_path(f, p, "segment", path), SPUR_SLOTS_OFFSET);
}

int finish_events(struct finish *f, struct finish_process *p)
{
    /* Memory of this size is a mapping of its own: aligned for the slot, which lies first. */
    uint64_t slot_bytes = sizeof(struct spur_slot);
    uint64_t bytes = slot_bytes + f->block_bytes + 1;
    struct moving *m = spur_mem_new(sizeof *m);
    char *memory = spur_mem_new(bytes);
    int err = m && memory ? 0 : -ENOMEM;
    if (!err) {
        m->f = f;
        m->p = p;
        m->slot = (struct spur_slot *)(void *)memory;
        m->block = (uint8_t *)memory + slot_bytes;
        free_segment(f, p);
    }
    finish_end_date(f, p);
    for (uint64_t i = 0; i < p->n_threads && !err; i++) {
        m->t = &p->threads[i];
        err = move_thread(m);
    }
    spur_mem_free(memory, bytes);
    spur_mem_free(m, sizeof *m);
    return finish_blame(f, err, "%s", f->dir);
}
