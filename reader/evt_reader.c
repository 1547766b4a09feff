/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/evt_reader.h"

#include "format/error.h"
#include "format/memory.h"
#include "reader/evt_places.h"

static const char no_evt_reader[] = "no event reader or no place to store";

enum { CACHE_LINE = 64 };

/* The first line of the cache in there. */
static void *align(void *memory)
{
    size_t over = (size_t)((uintptr_t)memory % CACHE_LINE);
    return over ? (char *)memory + (CACHE_LINE - over) : memory;
}

OTF2_EvtReader *otf2_evt_reader_open(OTF2_Reader *r, struct otf2_location *location)
{
    void *memory = otf2_mem_new(sizeof(OTF2_EvtReader) + CACHE_LINE);
    if (!memory) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for an event reader");
        return NULL;
    }
    OTF2_EvtReader *e = align(memory);
    e->memory = memory;
    e->id = location->id;
    e->location = location;
    e->reader = r;
    e->applies_maps = true;
    e->applies_clock = true;
    if (otf2_timed_open(&e->stream, r, OTF2_FILETYPE_EVENTS, location->id, OTF2_PLACE_EVENTS)) {
        /* Containers have no bytes for a location without events. */
        location->evt_has_failed = r->anchor.substrate != OTF2_SUBSTRATE_SION;
        otf2_mem_free(memory);
        return NULL;
    }
    otf2_chunks_share(&e->stream.file, r->locations.n);
    return e;
}

void otf2_evt_reader_close(OTF2_EvtReader *e)
{
    if (e->global)
        otf2_global_evt_reader_forget(e->global, e);
    otf2_timed_close(&e->stream);
    otf2_mem_free(e->attributes.entries);
    otf2_evt_places_free(e->places);
    otf2_mem_free(e->scratch);
    otf2_mem_free(e->memory);
}

void otf2_evt_refresh(OTF2_EvtReader *e)
{
    const struct otf2_location *location = e->location;
    bool has_maps = false;
    for (int i = 0; i < OTF2_MAPPING_MAX; i++)
        has_maps |= location->maps[i] != NULL;
    e->maps = location->maps;
    e->has_maps = has_maps && (e->global || e->applies_maps);
    bool applies_clock = (e->global || e->applies_clock) && location->clock.n > 1;
    e->clock = applies_clock ? &location->clock : NULL;
}

OTF2_ErrorCode OTF2_EvtReader_GetLocationID(const OTF2_EvtReader *reader,
                                            OTF2_LocationRef *location)
{
    if (!reader || !location)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_evt_reader);
    *location = reader->id;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtReader_GetPos(OTF2_EvtReader *reader, uint64_t *position)
{
    if (!reader || !position)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_evt_reader);
    *position = reader->position;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtReader_SetCallbacks(OTF2_EvtReader *reader,
                                           const OTF2_EvtReaderCallbacks *callbacks, void *userData)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, no_evt_reader);
    if (!callbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, "no callbacks");
    reader->callbacks = *callbacks;
    reader->user_data = userData;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtReader_ApplyMappingTables(OTF2_EvtReader *reader, bool action)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_evt_reader);
    reader->applies_maps = action;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_EvtReader_ApplyClockOffsets(OTF2_EvtReader *reader, bool action)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_evt_reader);
    reader->applies_clock = action;
    return OTF2_SUCCESS;
}

enum otf2_evt_step otf2_evt_find(OTF2_EvtReader *e)
{
    struct otf2_timed_record record;
    enum otf2_timed_step step = otf2_timed_next(&e->stream, &e->attributes, &record);
    if (step != OTF2_TIMED_RECORD)
        return step == OTF2_TIMED_END ? OTF2_EVT_ENDED : OTF2_EVT_FAILED;
    otf2_evt_set_time(e, e->stream.time);
    e->has_attributes = e->attributes.n != 0;
    return OTF2_EVT_DELIVERED;
}

enum otf2_evt_step otf2_evt_step(OTF2_EvtReader *e)
{
    enum otf2_evt_step step = otf2_evt_find(e);
    if (step != OTF2_EVT_DELIVERED)
        return step;
    const uint8_t *p = e->stream.at;
    otf2_evt_deliver *deliver = otf2_evt_deliver_local[*p];
    return (p < e->stream.fast_end && deliver ? deliver : otf2_evt_deliver_checked)(e, p, NULL);
}

/* As otf2_evt_step, at once where nothing is unusual. */
static inline enum otf2_evt_step step(OTF2_EvtReader *e)
{
    const uint8_t *p = e->stream.at;
    if (__builtin_expect(p >= e->stream.fast_end, 0))
        return otf2_evt_step(e);
    if (*p == OTF2_FRAME_TIME) {
        OTF2_TimeStamp time;
        memcpy(&time, p + 1, sizeof time);
        otf2_evt_set_time(e, time);
        e->stream.at = p += OTF2_FRAME_TIME_BYTES;
    }
    if (*p == OTF2_FRAME_ATTRIBUTES) {
        p = otf2_evt_take_list(e, p);
        if (!p)
            return otf2_evt_step(e);
    }
    otf2_evt_deliver *deliver = otf2_evt_deliver_local[*p];
    return __builtin_expect(deliver != NULL, 1) ? deliver(e, p, NULL) : otf2_evt_step(e);
}

OTF2_ErrorCode OTF2_EvtReader_ReadEvents(OTF2_EvtReader *reader, uint64_t recordsToRead,
                                         uint64_t *recordsRead)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, no_evt_reader);
    if (!recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_evt_reader);
    *recordsRead = 0;
    if (reader->global)
        return OTF2_ERROR(OTF2_ERROR_INVALID_CALL,
                          "location %llu is being read by the global reader",
                          (unsigned long long)reader->id);
    otf2_evt_refresh(reader);
    otf2_evt_set_time(reader, reader->stream.time);
    enum otf2_evt_step end = OTF2_EVT_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_EVT_DELIVERED) {
        end = step(reader);
        n += end <= OTF2_EVT_INTERRUPTED;
    }
    *recordsRead = n;
    return end == OTF2_EVT_FAILED        ? reader->stream.error
           : end == OTF2_EVT_INTERRUPTED ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK
                                         : OTF2_SUCCESS;
}
