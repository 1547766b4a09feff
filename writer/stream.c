/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/stream.h"

#include <inttypes.h>
#include <string.h>

#include "format/attributes.h"
#include "format/error.h"
#include "format/frame.h"
#include "format/memory.h"
#include "writer/archive_state.h"
#include "writer/chunk.h"
#include "writer/room.h"
#include "writer/stream_file.h"

enum { POOL_BYTES = 128 * 1024 * 1024 };

static bool owns_memory(const struct otf2_stream *s)
{
    return !s->archive->memory.otf2_allocate;
}

/* A sealed chunk is final for the file, even if this process dies. */
static void seal(const struct otf2_stream *s)
{
    const struct otf2_evt_cursor *c = s->cursor;
    if (s->is_timed)
        otf2_chunk_put_last(c->chunk, c->events);
    memset(c->pos, 0, (size_t)(c->end - c->pos));
}

/* ---- memory ---- */

static bool make_room(struct otf2_stream *s)
{
    uint32_t n = s->n_chunks + s->n_idle;
    if (n < s->room)
        return true;
    uint32_t room = s->room ? 2 * s->room : 8;
    uint8_t **chunks = otf2_mem_new(room * sizeof *chunks);
    if (!chunks)
        return false;
    if (n)
        memcpy(chunks, s->chunks, n * sizeof *chunks);
    otf2_mem_free(s->chunks);
    s->chunks = chunks;
    s->room = room;
    return true;
}

static uint8_t *take_own(struct otf2_stream *s)
{
    if (s->n_granted >= POOL_BYTES / s->chunk_bytes)
        return NULL;
    uint8_t *chunk = s->spare ? s->spare : otf2_mem_new(s->chunk_bytes);
    s->spare = NULL;
    s->n_granted += chunk != NULL;
    return chunk;
}

static uint8_t *take(struct otf2_stream *s)
{
    const OTF2_Archive *a = s->archive;
    if (s->n_idle) {
        s->n_idle--;
        return s->chunks[s->n_chunks++];
    }
    if (!make_room(s))
        return NULL;
    uint8_t *chunk = owns_memory(s) ? take_own(s)
                                    : a->memory.otf2_allocate(a->memory_data, s->type, s->location,
                                                              &s->per_buffer, s->chunk_bytes);
    if (chunk)
        s->chunks[s->n_chunks++] = chunk;
    return chunk;
}

/*
 * The n oldest chunks are in the file. One chunk of the library's own memory is kept for the next
 * chunk.
 */
static void forget(struct otf2_stream *s, uint32_t n)
{
    for (uint32_t i = 0; i < n && owns_memory(s); i++) {
        otf2_mem_free(s->spare);
        s->spare = s->chunks[i];
    }
    s->n_chunks -= n;
    if (n)
        memmove(s->chunks, s->chunks + n, (s->n_chunks + s->n_idle) * sizeof *s->chunks);
}

static void free_all(struct otf2_stream *s, bool final)
{
    const OTF2_Archive *a = s->archive;
    s->n_chunks += s->n_idle;
    s->n_idle = 0;
    if (owns_memory(s))
        forget(s, s->n_chunks);
    else
        a->memory.otf2_free_all(a->memory_data, s->type, s->location, &s->per_buffer, final);
    s->n_chunks = 0;
    s->n_granted = 0;
}

/* ---- flushing ---- */

static bool may_flush(const struct otf2_stream *s, bool final)
{
    const OTF2_Archive *a = s->archive;
    if (!a->flush.otf2_pre_flush)
        return s->type != OTF2_FILETYPE_EVENTS;
    return a->flush.otf2_pre_flush(a->flush_data, s->type, s->location, s->caller, final) ==
           OTF2_FLUSH;
}

/* `final`: the chunks cannot be taken back any more. */
static OTF2_ErrorCode write_chunks(struct otf2_stream *s, uint32_t n, bool final)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    uint32_t done = 0;
    for (; done < n && !error; done += !error) {
        struct otf2_bytes whole = {s->chunks[done], s->chunk_bytes};
        error = otf2_stream_write(s, &whole, 1);
        s->n_filed += !error;
        if (!error && final)
            otf2_room_is_over(s, s->chunks[done]);
    }
    forget(s, done);
    return error;
}

/* Write the sealed chunks, with the program's consent, and give the memory back. */
static OTF2_ErrorCode flush(struct otf2_stream *s)
{
    OTF2_ErrorCode error = write_chunks(s, s->n_chunks, false);
    if (error)
        return error;
    s->n_agreed = s->n_filed;
    otf2_blocks_agree(&s->blocks);
    s->n_pinned = 0;
    free_all(s, false);
    return OTF2_SUCCESS;
}

/*
 * The library's own memory is not filled up to the pool's size: sealed chunks go to the file
 * quietly, one chunk at a time and from memory still in the caches. If the write fails the chunks
 * stay in memory, and the failure is reported by the flush.
 */
static void spill(struct otf2_stream *s)
{
    if (!owns_memory(s) || s->n_pinned || s->n_granted >= POOL_BYTES / s->chunk_bytes)
        return;
    /* Records in a container cannot be taken back. */
    if (!s->archive->is_ready || otf2_stream_is_nowhere(s) || s->held.is_used)
        return;
    while (s->n_chunks) {
        struct otf2_bytes whole = {s->chunks[0], s->chunk_bytes};
        if (!otf2_stream_is_written(s, &whole))
            return;
        s->n_filed++;
        forget(s, 1);
    }
}

/* NOLINTNEXTLINE(readability-non-const-parameter): it is kept, to be written through. */
static void publish(struct otf2_evt_cursor *c, uint8_t *pos)
{
    __atomic_store_n(&c->pos, pos, __ATOMIC_RELEASE);
}

/* No chunk is open: all chunks are sealed. */
static void detach(struct otf2_evt_cursor *c)
{
    publish(c, NULL);
    c->end = NULL;
    c->chunk = NULL;
}

/* `need`: of the first record. */
static void begin_chunk(struct otf2_stream *s, uint8_t *chunk, OTF2_TimeStamp time, uint64_t need,
                        bool flushed)
{
    enum { FLUSH_BYTES = 1 + 1 + sizeof(uint64_t) };
    const OTF2_Archive *a = s->archive;
    struct otf2_evt_cursor *c = s->cursor;
    uint8_t *p = chunk + OTF2_FRAME_HEADER_BYTES;
    const uint64_t begun = OTF2_FRAME_HEADER_BYTES + OTF2_FRAME_TIME_BYTES + FLUSH_BYTES;
    uint8_t *end = otf2_room_end(s, chunk, begun + need + 1);
    otf2_stream_put_header(s, chunk, c->events + 1, 0);
    if (s->is_timed) {
        *p++ = OTF2_FRAME_TIME;
        memcpy(p, &time, sizeof time);
        p += sizeof time;
        c->time = time;
    }
    if (flushed && s->type == OTF2_FILETYPE_EVENTS && a->flush.otf2_post_flush) {
        uint64_t ended = a->flush.otf2_post_flush(a->flush_data, s->type, s->location);
        *p++ = OTF2_EVT_ID_BufferFlush;
        *p++ = sizeof ended;
        memcpy(p, &ended, sizeof ended);
        p += sizeof ended;
        c->events++;
    }
    c->chunk = chunk;
    c->end = end;
    publish(c, p);
}

/* A chunk was taken before the first record. */
static bool has_unused_chunk(const struct otf2_stream *s)
{
    return !s->cursor->chunk && s->n_chunks;
}

OTF2_ErrorCode otf2_stream_next(struct otf2_stream *s, OTF2_TimeStamp time, uint64_t need)
{
    struct otf2_evt_cursor *c = s->cursor;
    uint64_t begun = OTF2_FRAME_HEADER_BYTES + (s->is_timed ? OTF2_FRAME_TIME_BYTES : 0);
    if (need >= s->chunk_bytes - begun)
        return OTF2_FAIL(OTF2_ERROR_INVALID_SIZE_GIVEN, "a record does not fit into a chunk");

    if (has_unused_chunk(s)) {
        begin_chunk(s, s->chunks[s->n_chunks - 1], time, need, false);
        return OTF2_SUCCESS;
    }
    if (otf2_room_widen(s, need))
        return OTF2_SUCCESS;
    uint8_t *pos = c->pos;
    if (c->chunk) {
        seal(s);
        publish(c, NULL);
        spill(s);
    }
    bool flushed = false;
    s->has_written = false;
    uint8_t *chunk = take(s);
    if (!chunk) {
        OTF2_ErrorCode error = OTF2_SUCCESS;
        if (may_flush(s, false)) {
            error = flush(s);
            flushed = !error;
        }
        if (!error)
            chunk = take(s);
        if (!chunk && !flushed) {
            publish(c, pos);
            return error ? error : OTF2_FAIL(OTF2_ERROR_MEM_FAULT, "no memory for a chunk");
        }
    }
    if (!chunk) {
        detach(c);
        return OTF2_FAIL(OTF2_ERROR_MEM_FAULT, "no memory for a chunk");
    }
    begin_chunk(s, chunk, time, need, flushed || s->has_written);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_stream_recycle(struct otf2_stream *s, bool is_written, void **chunk)
{
    if (owns_memory(s) || s->cursor->pos || !s->n_chunks || s->n_idle || s->n_pinned)
        return OTF2_FAIL(OTF2_ERROR_INVALID_CALL, "no chunk can be used again");
    uint8_t *oldest = s->chunks[0];
    if (is_written) {
        struct otf2_bytes whole = {oldest, s->chunk_bytes};
        OTF2_ErrorCode error = otf2_stream_write(s, &whole, 1);
        if (error)
            return error;
        s->n_agreed = ++s->n_filed;
        otf2_blocks_agree(&s->blocks);
        s->has_written = true;
    }
    forget(s, 1);
    *chunk = oldest;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_stream_prepare(struct otf2_stream *s, OTF2_AttributeList *attributes,
                                   OTF2_TimeStamp time, uint64_t need, uint8_t **p)
{
    struct otf2_evt_cursor *c = s->cursor;
    if (time < c->time)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "time %" PRIu64 " after time %" PRIu64, time,
                         c->time);
    if (otf2_stream_place(c, attributes, time, need, p))
        return OTF2_SUCCESS;
    OTF2_ErrorCode error = otf2_stream_next(s, time, need + otf2_attributes_need(attributes));
    if (!error && !otf2_stream_place(c, attributes, time, need, p))
        error = OTF2_FAIL(OTF2_ERROR_INVALID_SIZE_GIVEN, "a record does not fit into a chunk");
    return error;
}

OTF2_ErrorCode otf2_stream_open(struct otf2_stream *s, struct otf2_evt_cursor *cursor)
{
    *cursor = (struct otf2_evt_cursor){0};
    s->cursor = cursor;
    s->is_replacing = s->archive->reader;
    bool is_asked = s->type != OTF2_FILETYPE_ANCHOR && s->type != OTF2_FILETYPE_MARKER &&
                    s->type != OTF2_FILETYPE_THUMBNAIL;
    /* The same files are compressed. */
    s->blocks = (struct otf2_blocks){.is_used = is_asked &&
                                                s->archive->compression == OTF2_COMPRESSION_ZLIB};
    s->held.is_used = otf2_is_contained(s->archive, s->type);
    if (is_asked && !s->archive->has_flush)
        return OTF2_FAIL(OTF2_ERROR_INVALID_CALL, "no flush callbacks are set");
    if (!owns_memory(s) && !take(s))
        return OTF2_FAIL(OTF2_ERROR_MEM_FAULT, "no memory for the first chunk");
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode finish(struct otf2_stream *s)
{
    bool has_open = s->cursor->chunk;
    uint32_t n_sealed = s->n_chunks - (has_open || has_unused_chunk(s) ? 1 : 0);
    OTF2_ErrorCode error = write_chunks(s, n_sealed, true);
    return error ? error : otf2_stream_write_end(s);
}

OTF2_ErrorCode otf2_stream_close(struct otf2_stream *s)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    bool is_kept = false;
    if (!s->is_refused && may_flush(s, true)) {
        error = finish(s);
        is_kept = error && s->is_durable;
        if (s->is_replacing)
            error = error ? otf2_stream_drop(s, error) : otf2_stream_replace(s);
        else if (error && !is_kept)
            otf2_stream_end_early(s);
        if (!is_kept)
            free_all(s, false);
    } else if (s->is_replacing) {
        (void)otf2_stream_drop(s, OTF2_SUCCESS);
    } else {
        otf2_stream_cut(s);
    }
    if (!is_kept)
        free_all(s, true);
    otf2_mem_free(s->spare);
    otf2_mem_free(s->chunks);
    otf2_mem_free(s->held.bytes);
    s->chunks = NULL;
    s->spare = NULL;
    s->held.bytes = NULL;
    if (!is_kept)
        detach(s->cursor);
    return error;
}

void otf2_stream_rewind(struct otf2_stream *s, uint32_t chunk, uint64_t used)
{
    struct otf2_evt_cursor *c = s->cursor;
    publish(c, NULL);
    s->n_idle += s->n_chunks - (chunk + 1);
    s->n_chunks = chunk + 1;
    c->chunk = s->chunks[chunk];
    c->end = otf2_room_end(s, c->chunk, used);
    publish(c, c->chunk + used);
}

OTF2_ErrorCode otf2_stream_adopt(struct otf2_stream *s, uint64_t n, const void *bytes,
                                 uint64_t used)
{
    struct otf2_evt_cursor *c = s->cursor;
    s->n_filed = s->n_agreed = n;
    s->is_adopted = true;
    if (!used)
        return OTF2_SUCCESS;
    if (!has_unused_chunk(s) && !take(s))
        return OTF2_FAIL(OTF2_ERROR_MEM_FAULT, "no memory for a chunk");
    c->chunk = s->chunks[s->n_chunks - 1];
    c->end = c->chunk + s->chunk_bytes;
    memcpy(c->chunk, bytes, used);
    publish(c, c->chunk + used);
    return OTF2_SUCCESS;
}
