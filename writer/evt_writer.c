/* SPDX-License-Identifier: BSD-3-Clause */
/* The public event writer: the inline doors behind a check of the handle, and what is not hot. */
#define OTF2_EVT_ALL /* of writer/evt_inline.h */
#include "writer/evt_writer.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <otf2x/otf2x.h>

#include "format/error.h"
#include "format/frame.h"
#include "format/memory.h"
#include "writer/archive_state.h"
#include "writer/chunk.h"
#include "writer/evt_inline.h"

#define NO_WRITER OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no event writer")

/* ---- events ---- */

static void straight_on(void (*call)(void *), void *arg)
{
    call(arg);
}

static void (*detour)(void (*call)(void *arg), void *arg) = straight_on;

void OTF2X_Detour(void (*other)(void (*call)(void *arg), void *arg))
{
    detour = other;
}

struct preparation {
    struct otf2_stream *stream;
    OTF2_AttributeList *attributes;
    OTF2_TimeStamp time;
    uint64_t need;
    uint8_t **p;
    OTF2_ErrorCode error;
};

static void prepare(void *arg)
{
    /* Records are written between a traced call and its caller, who looks at errno. */
    int saved = errno;
    struct preparation *this = arg;
    this->error =
        otf2_stream_prepare(this->stream, this->attributes, this->time, this->need, this->p);
    errno = saved;
}

static __attribute__((noinline)) OTF2_ErrorCode prepare_chunk(struct otf2_evt_cursor *c,
                                                              OTF2_AttributeList *attributes,
                                                              OTF2_TimeStamp time, uint64_t need,
                                                              uint8_t **p)
{
    struct preparation this = {&c->writer->stream, attributes, time, need, p, OTF2_SUCCESS};
    detour(prepare, &this);
    return this.error;
}

OTF2_ErrorCode otf2_evt_prepare(struct otf2_evt_cursor *c, OTF2_AttributeList *attributes,
                                OTF2_TimeStamp time, uint64_t need, uint8_t **p)
{
    if (otf2_stream_place(c, attributes, time, need, p))
        return OTF2_SUCCESS;
    return prepare_chunk(c, attributes, time, need, p);
}

OTF2_ErrorCode otf2_evt_no_array(void)
{
    return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "an array with members is NULL");
}

#define ARGUMENT(Row, kind, name) , name
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_ErrorCode OTF2_EvtWriter_##Name(OTF2_EvtWriter *writer,                                   \
                                         OTF2_AttributeList *attributeList,                        \
                                         OTF2_TimeStamp time OTF2_SEQ(OTF2_PARAM, Name,            \
                                                                      __VA_ARGS__))                \
    {                                                                                              \
        if (__builtin_expect(!writer, 0))                                                          \
            return NO_WRITER;                                                                      \
        return otf2_evt_put_##Name(writer->cursor, attributeList,                                  \
                                   time OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));                    \
    }
#include <otf2/otf2_events.def>
#undef EVENT

/* ---- life ---- */

OTF2_EvtWriter *otf2_evt_writer_open(OTF2_Archive *archive, OTF2_LocationRef location)
{
    OTF2_EvtWriter *w = otf2_mem_new(sizeof *w);
    if (!w) {
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for an event writer");
        return NULL;
    }
    w->cursor = &w->own;
    w->node.location = location;
    w->stream = (struct otf2_stream){.archive = archive,
                                     .type = OTF2_FILETYPE_EVENTS,
                                     .is_timed = true,
                                     .location = location,
                                     .caller = w,
                                     .chunk_bytes = archive->chunk_events};
    if (otf2_stream_open(&w->stream, &w->own)) {
        otf2_mem_free(w);
        return NULL;
    }
    w->own.writer = w;
    return w;
}

OTF2_ErrorCode otf2_evt_writer_close(OTF2_EvtWriter *w)
{
    OTF2_ErrorCode error = otf2_stream_close(&w->stream);
    otf2_mem_free(w->points);
    otf2_mem_free(w);
    return error;
}

/* ---- properties ---- */

OTF2_ErrorCode OTF2_EvtWriter_GetLocationID(const OTF2_EvtWriter *writer,
                                            OTF2_LocationRef *locationID)
{
    if (!writer)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no event writer");
    if (!locationID)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place for the location");
    *locationID = writer->stream.location;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtWriter_SetLocationID(OTF2_EvtWriter *writer, OTF2_LocationRef location)
{
    if (!writer)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no event writer");
    if (location == OTF2_UNDEFINED_LOCATION)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "the location is undefined");
    if (writer->stream.location == location)
        return OTF2_SUCCESS;
    if (writer->stream.location != OTF2_UNDEFINED_LOCATION)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "the writer has a location already");
    OTF2_Archive *archive = writer->stream.archive;
    otf2_archive_lock(archive);
    writer->stream.location = location;
    if (writer->is_listed)
        otf2_registry_locate(&archive->evt_writers, &writer->node, location);
    (void)otf2_contained_know(archive, location); /* else when it is written */
    otf2_archive_unlock(archive);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtWriter_GetNumberOfEvents(OTF2_EvtWriter *writer, uint64_t *numberOfEvents)
{
    if (!writer)
        return NO_WRITER;
    if (!numberOfEvents)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place for the number");
    *numberOfEvents = writer->cursor->events;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtWriter_SetUserData(OTF2_EvtWriter *writer, void *userData)
{
    if (!writer)
        return NO_WRITER;
    writer->user_data = userData;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtWriter_GetUserData(const OTF2_EvtWriter *writer, void **userData)
{
    if (!writer || !userData)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no writer, or no place for its data");
    *userData = writer->user_data;
    return OTF2_SUCCESS;
}

/* ---- going back ---- */

static struct otf2_rewind_point *find_point(const OTF2_EvtWriter *w, uint32_t id)
{
    for (uint32_t i = 0; i < w->n_points; i++)
        if (w->points[i].id == id)
            return &w->points[i];
    return NULL;
}

static struct otf2_rewind_point *add_point(OTF2_EvtWriter *w)
{
    if (w->n_points == w->room) {
        uint32_t room = w->room ? 2 * w->room : 4;
        struct otf2_rewind_point *points = otf2_mem_new(room * sizeof *points);
        if (!points)
            return NULL;
        if (w->n_points)
            memcpy(points, w->points, w->n_points * sizeof *points);
        otf2_mem_free(w->points);
        w->points = points;
        w->room = room;
    }
    return &w->points[w->n_points++];
}

OTF2_ErrorCode OTF2_EvtWriter_StoreRewindPoint(OTF2_EvtWriter *writer, uint32_t rewindId)
{
    if (!writer)
        return NO_WRITER;
    struct otf2_rewind_point *point = find_point(writer, rewindId);
    if (!point)
        point = add_point(writer);
    if (!point)
        return OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a rewind point");
    const struct otf2_evt_cursor *c = writer->cursor;
    bool has_begun = c->chunk;
    *point = (struct otf2_rewind_point){
        .id = rewindId,
        .chunk = has_begun ? writer->stream.n_chunks - 1 : 0,
        .used = has_begun ? (uint64_t)(c->pos - c->chunk) : OTF2_FRAME_HEADER_BYTES,
        .n_filed = writer->stream.n_filed,
        .events = c->events,
        .time = c->time,
    };
    writer->stream.n_pinned = writer->n_points;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtWriter_Rewind(OTF2_EvtWriter *writer, uint32_t rewindId)
{
    if (!writer)
        return NO_WRITER;
    const struct otf2_rewind_point *point = find_point(writer, rewindId);
    if (!point || point->n_filed != writer->stream.n_filed)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no rewind point %" PRIu32, rewindId);
    struct otf2_evt_cursor *c = writer->cursor;
    if (!c->chunk)
        return OTF2_SUCCESS;
    c->time = point->time;
    c->events = point->events;
    otf2_stream_rewind(&writer->stream, point->chunk, point->used);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtWriter_ClearRewindPoint(OTF2_EvtWriter *writer, uint32_t rewindId)
{
    if (!writer)
        return NO_WRITER;
    struct otf2_rewind_point *point = find_point(writer, rewindId);
    if (point)
        *point = writer->points[--writer->n_points];
    writer->stream.n_pinned = writer->n_points;
    return OTF2_SUCCESS;
}
