/* SPDX-License-Identifier: BSD-3-Clause */
/* All ways through a location's events except forward. */
#include "format/error.h"
#include "format/memory.h"
#include "reader/evt_places.h"
#include "reader/evt_reader.h"

enum { STRIDE = 256 };

struct otf2_evt_places {
    uint64_t first;                /* position of the chunk's first event */
    uint64_t n;                    /* known events from `first` on; 0: nothing known */
    struct otf2_timed_mark *marks; /* of each event that STRIDE divides, from the first on */
    uint64_t n_marks;
    uint64_t room;
    uint64_t block; /* the block of `events` */
    struct otf2_timed_mark events[STRIDE];
};

static const uint64_t no_block = UINT64_MAX;

void otf2_evt_places_free(struct otf2_evt_places *places)
{
    if (places)
        otf2_mem_free(places->marks);
    otf2_mem_free(places);
}

/* Skips the next record. The record's place is the stream's place before the call. */
static enum otf2_timed_step skip(OTF2_EvtReader *e)
{
    struct otf2_timed_record record;
    enum otf2_timed_step step = otf2_timed_next(&e->stream, &e->attributes, &record);
    if (step == OTF2_TIMED_RECORD)
        e->stream.at = record.end;
    otf2_attributes_clear(&e->attributes);
    return step;
}

static bool enter(OTF2_EvtReader *e, uint64_t chunk)
{
    uint64_t ignored;
    e->stream.time = 0;
    e->stream.time_offset = 0;
    return otf2_timed_enter(&e->stream, chunk, &ignored, &ignored);
}

/*
 * Finds the time at the begin of a chunk that was just entered. Chunks begin with a timestamp; in
 * files of unknown writers the time of an earlier chunk may hold.
 */
static bool find_first_time(OTF2_EvtReader *e)
{
    struct otf2_timed *s = &e->stream;
    struct otf2_timed_mark begin = otf2_timed_tell(s);
    begin.time = 0;
    if (!begin.chunk || (s->at < s->end && *s->at == OTF2_FRAME_TIME))
        return true;
    bool is_found = false;
    for (uint64_t chunk = begin.chunk; chunk-- && !is_found;) {
        if (!enter(e, chunk))
            return false;
        while (skip(e) == OTF2_TIMED_RECORD && s->chunk == chunk) {
            is_found = s->time_offset != 0;
            begin.time = s->time;
        }
    }
    return otf2_timed_go(s, begin);
}

static OTF2_ErrorCode is_operated(const OTF2_EvtReader *e)
{
    return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "location %llu is being read by the global reader",
                      (unsigned long long)e->id);
}

/* ---- to a position ---- */

/*
 * Enters the chunk that contains the event of this position, by the headers of the chunks. False:
 * there is no such event, or an error was reported (the stream is broken then).
 */
static bool enter_chunk_of(OTF2_EvtReader *e, uint64_t position, uint64_t *first)
{
    uint64_t low = 0;
    uint64_t n = e->stream.file.n_chunks;
    uint64_t last;
    /* The rest of a cut chunk has no header. */
    if (n > 1 && otf2_chunks_size(&e->stream.file, n - 1) < OTF2_FRAME_HEADER_BYTES)
        n--;
    while (n > 1) {
        uint64_t half = n / 2;
        if (!otf2_timed_enter(&e->stream, low + half, first, &last))
            return false;
        low += *first <= position ? half : 0;
        n = *first <= position ? n - half : half;
    }
    return otf2_timed_enter(&e->stream, low, first, &last) && *first <= position &&
           position <= last;
}

/* False: the seek failed; the stream is broken if the failure was reported. */
static bool seek(OTF2_EvtReader *e, uint64_t position)
{
    uint64_t at;
    e->stream.time = 0;
    if (!enter_chunk_of(e, position, &at) || !find_first_time(e))
        return false;
    uint64_t chunk = e->stream.chunk;
    for (; at < position; at++) {
        enum otf2_timed_step step = skip(e);
        if (step == OTF2_TIMED_FAILED)
            return false;
        if (step == OTF2_TIMED_END || e->stream.chunk != chunk) {
            otf2_timed_malformed(&e->stream, "the chunk has fewer events than its header says");
            return false;
        }
    }
    return true;
}

OTF2_ErrorCode OTF2_EvtReader_Seek(OTF2_EvtReader *reader, uint64_t position)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no event reader");
    if (reader->global)
        return is_operated(reader);
    struct otf2_timed_mark before = otf2_timed_tell(&reader->stream);
    if (position && seek(reader, position)) {
        reader->position = position - 1;
        reader->clock_at = (struct otf2_clock){0};
        if (reader->places)
            reader->places->n = 0;
        return OTF2_SUCCESS;
    }
    bool is_reported = position && reader->stream.is_broken;
    OTF2_ErrorCode error = reader->stream.error;
    if (position)
        otf2_timed_go(&reader->stream, before);
    return is_reported ? error
                       : OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "%s has no event %llu",
                                    reader->stream.file.path, (unsigned long long)position);
}

/* ---- backward ---- */

static bool add_mark(struct otf2_evt_places *places, struct otf2_timed_mark mark)
{
    enum { FIRST = 64 };
    if (places->n_marks == places->room) {
        uint64_t room = places->room ? 2 * places->room : FIRST;
        struct otf2_timed_mark *marks = otf2_mem_new((size_t)room * sizeof *marks);
        if (!marks)
            return false;
        if (places->n_marks)
            memcpy(marks, places->marks, (size_t)places->n_marks * sizeof *marks);
        otf2_mem_free(places->marks);
        places->marks = marks;
        places->room = room;
    }
    places->marks[places->n_marks++] = mark;
    return true;
}

/* Counts and marks the events of a chunk, up to an offset. False: failed, and reported. */
static bool mark_chunk(OTF2_EvtReader *e, uint64_t chunk, uint64_t end)
{
    struct otf2_evt_places *places = e->places;
    struct otf2_timed *s = &e->stream;
    places->n = 0;
    places->n_marks = 0;
    places->block = no_block;
    if (!enter(e, chunk) || !find_first_time(e))
        return false;
    for (;;) {
        struct otf2_timed_mark mark = otf2_timed_tell(s);
        if (mark.offset >= end)
            return true;
        enum otf2_timed_step step = skip(e);
        if (step == OTF2_TIMED_FAILED)
            return false;
        if (step == OTF2_TIMED_END || s->chunk != chunk)
            return true;
        if (places->n++ % STRIDE == 0 && !add_mark(places, mark)) {
            otf2_timed_fail(s, OTF2_ERROR_MEM_ALLOC_FAILED, "no memory to read backward");
            return false;
        }
    }
}

/*
 * Finds the places of the event at e->position, in front of the stream's place, and of the earlier
 * events in the same chunk.
 */
static bool mark_last_events(OTF2_EvtReader *e)
{
    if (!e->places)
        e->places = otf2_mem_new(sizeof *e->places);
    if (!e->places) {
        otf2_timed_fail(&e->stream, OTF2_ERROR_MEM_ALLOC_FAILED, "no memory to read backward");
        return false;
    }
    struct otf2_timed_mark here = otf2_timed_tell(&e->stream);
    e->places->n = 0;
    if (here.offset > OTF2_FRAME_HEADER_BYTES && !mark_chunk(e, here.chunk, here.offset))
        return false;
    while (!e->places->n) {
        if (!here.chunk) {
            otf2_timed_malformed(&e->stream, "there are fewer events than the headers say");
            return false;
        }
        if (!mark_chunk(e, --here.chunk, UINT64_MAX))
            return false;
    }
    e->places->first = e->position - e->places->n + 1;
    return true;
}

/* Fills places->events with the events of a block. */
static bool mark_block(OTF2_EvtReader *e, uint64_t block)
{
    struct otf2_evt_places *places = e->places;
    if (places->block == block)
        return true;
    places->block = no_block;
    if (!otf2_timed_go(&e->stream, places->marks[block]))
        return false;
    for (uint64_t i = 0; i < STRIDE && block * STRIDE + i < places->n; i++) {
        places->events[i] = otf2_timed_tell(&e->stream);
        if (skip(e) != OTF2_TIMED_RECORD)
            return false;
    }
    places->block = block;
    return true;
}

/* Goes to the event of e->position. */
static bool go_to_last(OTF2_EvtReader *e, struct otf2_timed_mark *mark)
{
    struct otf2_evt_places *places = e->places;
    bool is_marked = places && places->n && e->position >= places->first &&
                     e->position - places->first < places->n;
    if (!is_marked && !mark_last_events(e))
        return false;
    places = e->places;
    uint64_t i = e->position - places->first;
    if (!mark_block(e, i / STRIDE))
        return false;
    *mark = places->events[i % STRIDE];
    return otf2_timed_go(&e->stream, *mark);
}

static enum otf2_evt_step step_back(OTF2_EvtReader *e)
{
    struct otf2_timed_mark mark;
    if (!e->position)
        return OTF2_EVT_ENDED;
    if (!go_to_last(e, &mark))
        return OTF2_EVT_FAILED;
    uint64_t position = e->position--;
    /* Times decrease, and the intervals of a clock are found in one direction only. */
    e->clock_at = (struct otf2_clock){0};
    enum otf2_evt_step step = otf2_evt_step(e);
    e->position = position - 1;
    if (step > OTF2_EVT_INTERRUPTED)
        return OTF2_EVT_FAILED;
    return otf2_timed_go(&e->stream, mark) ? step : OTF2_EVT_FAILED;
}

OTF2_ErrorCode OTF2_EvtReader_ReadEventsBackward(OTF2_EvtReader *reader, uint64_t recordsToRead,
                                                 uint64_t *recordsRead)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no event reader");
    if (!recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no place to store");
    *recordsRead = 0;
    if (reader->global)
        return is_operated(reader);
    otf2_evt_refresh(reader);
    enum otf2_evt_step end = OTF2_EVT_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_EVT_DELIVERED) {
        end = step_back(reader);
        n += end <= OTF2_EVT_INTERRUPTED;
    }
    *recordsRead = n;
    reader->clock_at = (struct otf2_clock){0};
    if (end == OTF2_EVT_ENDED && !n)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "%s has no event in front of the first",
                          reader->stream.file.path);
    return end == OTF2_EVT_FAILED        ? reader->stream.error
           : end == OTF2_EVT_INTERRUPTED ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK
                                         : OTF2_SUCCESS;
}

/* ---- another time for the last event ---- */

/* The last timestamp of a chunk in front of an offset; false: no timestamp, or a failure. */
static bool find_time(OTF2_EvtReader *e, uint64_t chunk, uint64_t end,
                      struct otf2_timed_mark *found)
{
    struct otf2_timed *s = &e->stream;
    if (!enter(e, chunk))
        return false;
    *found = (struct otf2_timed_mark){chunk, 0, 0};
    while (otf2_timed_tell(s).offset < end && skip(e) == OTF2_TIMED_RECORD && s->chunk == chunk)
        found->offset = s->time_offset;
    return found->offset != 0;
}

OTF2_ErrorCode OTF2_EvtReader_TimeStampRewrite(OTF2_EvtReader *reader, OTF2_TimeStamp time)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, "no event reader");
    if (reader->global)
        return is_operated(reader);
    struct otf2_timed_mark here = otf2_timed_tell(&reader->stream);
    struct otf2_timed_mark stamp = {0};
    bool is_found =
        here.offset > OTF2_FRAME_HEADER_BYTES && find_time(reader, here.chunk, here.offset, &stamp);
    for (uint64_t chunk = here.chunk; !is_found && reader->position && chunk; chunk--)
        is_found = find_time(reader, chunk - 1, UINT64_MAX, &stamp);
    bool has_memory =
        !is_found || otf2_timed_rewrite(&reader->stream, stamp.chunk, stamp.offset, time);
    here.time = is_found && has_memory ? time : here.time;
    otf2_timed_go(&reader->stream, here);
    if (!is_found)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "%s: no event was read whose time can change",
                          reader->stream.file.path);
    return has_memory ? OTF2_SUCCESS
                      : OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a timestamp");
}
