/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/events/finish_ring.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/beneath.h"
#include "base/mem.h"
#include "base/raw_file.h"
#include "finish/state/finish_chunk.h"
#include "finish/state/finish_trouble.h"

enum { NESTING_MAX = 1 << 16 };

/* One location during the work. */
struct ring {
    struct finish *f;
    struct finish_process *p;
    struct finish_thread *t;
    const struct finish_chunks *chunks;
    const struct spur_slot *slot;
    uint8_t *block;
    struct finish_chunk chunk; /* the chunk in `block` */
    uint64_t first;            /* number of the first kept event */
    uint64_t last;             /* number of the last kept event */
    uint64_t time;             /* of the first kept event */
    bool has_begin;            /* the first event is a ThreadBegin or ProgramBegin */
    bool has_contingent;
    uint32_t contingent;
    struct spur_words closed; /* regions closed but not opened: the innermost first */
    struct spur_words opened; /* the words of `level`, to see if the words match */
    uint64_t events;          /* synthesised */
};

/* ---- regions open at the beginning ---- */

static bool push(struct spur_words *words, uint64_t word)
{
    uint64_t *at = words->n < NESTING_MAX ? spur_words_add(words, 1) : NULL;
    if (at)
        *at = word;
    return at;
}

static void see_event(void *data, const struct finish_chunk *chunk, const uint8_t *at)
{
    struct ring *r = data;
    if (r->time == UINT64_MAX) {
        r->time = chunk->time_first;
        r->has_begin =
            chunk->event == OTF2_EVT_ID_ThreadBegin || chunk->event == OTF2_EVT_ID_ProgramBegin;
    }
    if (chunk->event == OTF2_EVT_ID_ThreadEnd) {
        r->contingent = finish_chunk_c32(at + 2);
        r->has_contingent = true;
    }
    if (chunk->opens)
        (void)push(&r->opened, chunk->word);
    else if (chunk->closes && r->opened.n)
        r->opened.n--;
    else if (chunk->closes)
        (void)push(&r->closed, chunk->word);
}

static int load(struct ring *r, int fd, uint64_t i)
{
    uint64_t bytes = i + 1 < r->chunks->n ? r->f->block_bytes : r->chunks->bytes;
    memset(r->block, 0, r->f->block_bytes);
    int64_t n = finish_try_read(r->f, r->chunks->path, fd, r->chunks->at[i], r->block, bytes);
    return n < 0 ? (int)n : 0;
}

static int see_chunks(struct ring *r, int fd)
{
    int err = 0;
    r->time = UINT64_MAX;
    for (uint64_t i = 0; i < r->chunks->n && !err; i++) {
        err = load(r, fd, i);
        if (err || !finish_chunk_walk(r->block, r->f->block_bytes, &r->chunk, r, see_event))
            return err ? err : -EIO;
        if (i == 0)
            r->first = r->chunk.first;
        r->last = r->chunk.first + r->chunk.events - 1;
    }
    return r->opened.failed || r->closed.failed ? -ENOMEM : err;
}

/* The n-th word, from the outermost word, of the regions open at the beginning. */
static uint32_t word_at(const struct ring *r, uint64_t n, uint64_t still_open)
{
    if (n >= still_open)
        return (uint32_t)r->closed.at[r->closed.n - 1 - (n - still_open)];
    return n < SPUR_SLOT_REGIONS ? r->slot->region[n] : SPUR_OPEN_ID;
}

/* The number of regions open at the beginning and still open now. */
static uint64_t count_open(const struct ring *r)
{
    uint64_t depth = r->slot ? r->chunks->depth : 0;
    depth = depth < NESTING_MAX ? depth : NESTING_MAX;
    return depth > r->closed.n ? depth - r->closed.n : 0;
}

/* ---- events not kept but needed ---- */

static OTF2_AttributeList *mark(struct ring *r, OTF2_AttributeList *list)
{
    uint32_t local = (uint32_t)r->p->map.of[SPUR_SPACE_ATTRIBUTE].n - 1;
    OTF2_AttributeList_AddUint8(list, local, 1);
    r->f->repaired++;
    return list;
}

static OTF2_ErrorCode open_one(struct ring *r, OTF2_EvtWriter *writer, OTF2_AttributeList *list,
                               uint32_t word)
{
    uint32_t id = word & SPUR_OPEN_ID;
    switch (word & ~(uint32_t)SPUR_OPEN_ID) {
    case SPUR_OPEN_TEAM:
        return id < r->p->map.of[SPUR_SPACE_COMM].n
                   ? OTF2_EvtWriter_ThreadTeamBegin(writer, mark(r, list), r->time, id)
                   : OTF2_SUCCESS;
    case SPUR_OPEN_FORK:
        return OTF2_EvtWriter_ThreadFork(writer, mark(r, list), r->time, (OTF2_Paradigm)id,
                                         OTF2_UNDEFINED_UINT32);
    case SPUR_OPEN_CONTEXT: /* finish_distance.h sets the distance of all contexts later */
        return id < r->p->map.of[SPUR_SPACE_CALLING_CONTEXT].n
                   ? OTF2_EvtWriter_CallingContextEnter(writer, mark(r, list), r->time, id,
                                                        SPUR_DISTANCE_LATER)
                   : OTF2_SUCCESS;
    default:
        if (word >= r->p->map.of[SPUR_SPACE_REGION].n)
            word = OTF2_UNDEFINED_REGION;
        return OTF2_EvtWriter_Enter(writer, mark(r, list), r->time, word);
    }
}

static OTF2_ErrorCode begin_thread(struct ring *r, OTF2_EvtWriter *writer, OTF2_AttributeList *list)
{
    const struct finish_process *p = r->p;
    if (r->slot && r->slot->has_thread_begin) {
        r->contingent = r->slot->contingent;
        r->has_contingent = true;
    }
    if (r->has_contingent && r->contingent < p->map.of[SPUR_SPACE_COMM].n)
        return OTF2_EvtWriter_ThreadBegin(writer, mark(r, list), r->time, r->contingent,
                                          r->t->number);
    if (r->t->number != 0 || p->program == OTF2_UNDEFINED_STRING)
        return OTF2_SUCCESS;
    OTF2_StringRef argument[SPUR_NUMBERS_MAX];
    for (size_t i = 0; i < p->arguments.n; i++)
        argument[i] = (OTF2_StringRef)p->arguments.at[i];
    return OTF2_EvtWriter_ProgramBegin(writer, mark(r, list), r->time, p->program,
                                       (uint32_t)p->arguments.n, argument);
}

static OTF2_ErrorCode put_events(struct ring *r, OTF2_EvtWriter *writer, OTF2_AttributeList *list)
{
    uint64_t still_open = count_open(r);
    OTF2_ErrorCode error = r->has_begin ? OTF2_SUCCESS : begin_thread(r, writer, list);
    for (uint64_t n = 0; n < still_open + r->closed.n && !error; n++)
        error = open_one(r, writer, list, word_at(r, n, still_open));
    return error ? error : OTF2_EvtWriter_GetNumberOfEvents(writer, &r->events);
}

/* Write the missing events. The file then ends inside of a chunk. */
static int write_events(struct ring *r, uint64_t id, struct finish_out *out)
{
    OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(r->f->archive, id);
    OTF2_AttributeList *list = OTF2_AttributeList_New();
    OTF2_ErrorCode error = writer && list ? OTF2_SUCCESS : OTF2_ERROR_MEM_ALLOC_FAILED;
    if (!error)
        error = put_events(r, writer, list);
    if (writer) {
        OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(r->f->archive, writer);
        error = error ? error : closed;
    }
    if (list)
        OTF2_AttributeList_Delete(list);
    return finish_check(r->f, error, finish_out_name(out));
}

/* Fill the last chunk up to a whole chunk, so further chunks can be appended. */
static int fill_chunk(struct ring *r, struct finish_out *out)
{
    struct finish_chunk chunk;
    uint64_t size;
    int fd = finish_out_try(r->f, out, &size);
    if (fd < 0)
        return fd;
    uint64_t whole = size ? (size - 1) / r->f->block_bytes * r->f->block_bytes : 0;
    memset(r->block, 0, r->f->block_bytes);
    int64_t n = finish_try_read(r->f, finish_out_name(out), fd, whole, r->block, r->f->block_bytes);
    spur_file_close(fd);
    if (n < 0)
        return (int)n;
    int err = whole ? finish_out_cut(out, whole) : finish_out_remove(out);
    if (err || !finish_chunk_scan(r->block, (uint64_t)n, &chunk) || !chunk.events)
        return err;
    memset(r->block + chunk.used, 0, r->f->block_bytes - chunk.used);
    return finish_out_append(out, r->block, r->f->block_bytes);
}

/* ---- the kept events ---- */

static int copy_chunks(struct ring *r, int fd, struct finish_out *out)
{
    int err = 0;
    for (uint64_t i = 0; i < r->chunks->n && !err; i++) {
        err = load(r, fd, i);
        if (err || !finish_chunk_scan(r->block, r->f->block_bytes, &r->chunk))
            return err ? err : -EIO;
        uint64_t shift = r->events - r->t->dropped;
        uint64_t last = r->chunk.last ? r->chunk.last + shift : 0;
        finish_chunk_number_from(r->block, r->chunk.first + shift, last);
        if (i + 1 < r->chunks->n)
            err = finish_out_append(out, r->block, r->f->block_bytes);
    }
    return err;
}

static int write_anew(struct ring *r, int fd, uint64_t id, struct finish_out *out)
{
    int err = see_chunks(r, fd);
    if (err || r->first <= 1)
        return err;
    r->t->dropped = r->first - 1;
    r->f->dropped += r->t->dropped;
    err = finish_out_remove(out);
    if (err && err != -ENOENT)
        return err;
    err = write_events(r, id, out);
    if (!err)
        err = fill_chunk(r, out);
    return err ? err : copy_chunks(r, fd, out);
}

int finish_ring(struct finish *f, struct finish_process *p, struct finish_thread *t, uint64_t id,
                struct finish_out *out, const struct finish_chunks *chunks,
                const struct spur_slot *slot, uint64_t *used)
{
    struct ring *r = spur_mem_new(sizeof *r);
    uint64_t size;
    if (!r)
        return -ENOMEM;
    *r = (struct ring){.f = f, .p = p, .t = t, .chunks = chunks, .slot = slot};
    r->block = chunks->block;
    int fd = finish_try_open(f, chunks->path, &size);
    int err = fd < 0 ? fd : 0;
    if (!err) {
        err = write_anew(r, fd, id, out);
        *used = slot ? r->chunk.used : chunks->bytes;
        if (!err)
            t->first = r->time;
        if (!err && r->chunk.events)
            t->last = r->chunk.time_last;
        t->events = r->events + (r->last + 1 - r->first);
        spur_file_close(fd);
    }
    spur_words_free(&r->closed);
    spur_words_free(&r->opened);
    spur_mem_free(r, sizeof *r);
    return err;
}
