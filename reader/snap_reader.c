/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/snap_reader.h"

#include "format/error.h"
#include "format/memory.h"
#include "reader/global_reader.h"

static const char no_reader[] = "no snapshot reader or no place to store";

OTF2_SnapReader *otf2_snap_reader_open(OTF2_Reader *r, struct otf2_location *location)
{
    OTF2_SnapReader *s = otf2_mem_new(sizeof *s);
    if (!s) {
        OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a snapshot reader");
        return NULL;
    }
    s->id = location->id;
    s->location = location;
    if (!otf2_timed_open(&s->stream, r, OTF2_FILETYPE_SNAPSHOTS, location->id,
                         OTF2_PLACE_SNAPSHOTS))
        return s;
    otf2_mem_free(s);
    return NULL;
}

void otf2_snap_reader_close(OTF2_SnapReader *s)
{
    if (s->global)
        otf2_global_snap_reader_forget(s->global, s);
    otf2_timed_close(&s->stream);
    otf2_mem_free(s->attributes.entries);
    otf2_mem_free(s->scratch);
    otf2_mem_free(s);
}

OTF2_ErrorCode OTF2_SnapReader_GetLocationID(const OTF2_SnapReader *reader,
                                             OTF2_LocationRef *location)
{
    if (!reader || !location)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    *location = reader->id;
    return OTF2_SUCCESS;
}

OTF2_ErrorCode OTF2_SnapReader_SetCallbacks(OTF2_SnapReader *reader,
                                            const OTF2_SnapReaderCallbacks *callbacks,
                                            void *userData)
{
    if (!reader)
        return OTF2_ERROR(OTF2_ERROR_INTEGRITY_FAULT, no_reader);
    if (!callbacks)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    reader->callbacks = *callbacks;
    reader->user_data = userData;
    return OTF2_SUCCESS;
}

/* ---- from a decoded record to the program ---- */

typedef OTF2_CallbackCode call_any(OTF2_SnapReader *s, OTF2_GlobalSnapReader *g,
                                   OTF2_TimeStamp time, const void *record);

#define ARGUMENT(Row, kind, name) , r->name
#define SNAP(Name, NAME, number, major, minor, ...)                                                \
    static OTF2_CallbackCode call_##Name(OTF2_SnapReader *s, OTF2_GlobalSnapReader *g,             \
                                         OTF2_TimeStamp time, const void *record)                  \
    {                                                                                              \
        const struct otf2_snap_##Name *r = record;                                                 \
        if (g && g->callbacks.Name)                                                                \
            return g->callbacks.Name(s->id, time, g->user_data,                                    \
                                     &s->attributes OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));        \
        if (!g && s->callbacks.Name)                                                               \
            return s->callbacks.Name(s->id, time, s->user_data,                                    \
                                     &s->attributes OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__));        \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include <otf2/otf2_snaps.def>
#undef SNAP

static call_any *const calls[OTF2_SNAPS] = {
#define SNAP(Name, ...) call_##Name,
#include <otf2/otf2_snaps.def>
#undef SNAP
};

static OTF2_CallbackCode call_unknown(OTF2_SnapReader *s, OTF2_GlobalSnapReader *g)
{
    if (g && g->callbacks.Unknown)
        return g->callbacks.Unknown(s->id, s->stream.time, g->user_data, &s->attributes);
    if (!g && s->callbacks.Unknown)
        return s->callbacks.Unknown(s->id, s->stream.time, s->user_data, &s->attributes);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- reading ---- */

static enum otf2_snap_step next(OTF2_SnapReader *s, struct otf2_timed_record *record)
{
    enum otf2_timed_step step = otf2_timed_next(&s->stream, &s->attributes, record);
    return step == OTF2_TIMED_RECORD ? OTF2_SNAP_DELIVERED
           : step == OTF2_TIMED_END  ? OTF2_SNAP_ENDED
                                     : OTF2_SNAP_FAILED;
}

enum otf2_snap_step otf2_snap_find(OTF2_SnapReader *s)
{
    struct otf2_timed_record record;
    return next(s, &record);
}

static bool make_scratch(OTF2_SnapReader *s, size_t bytes)
{
    if (bytes <= s->scratch_bytes)
        return true;
    otf2_mem_free(s->scratch);
    s->scratch = otf2_mem_new(bytes);
    s->scratch_bytes = s->scratch ? bytes : 0;
    return s->scratch != NULL;
}

enum otf2_snap_step otf2_snap_step(OTF2_SnapReader *s, OTF2_GlobalSnapReader *g)
{
    struct otf2_timed_record record;
    union otf2_any_record data;
    enum otf2_snap_step step = next(s, &record);
    if (step != OTF2_SNAP_DELIVERED)
        return step;
    OTF2_CallbackCode code;
    if (record.row) {
        struct otf2_wire_source source = {record.attributes, record.end, s->stream.is_swapped};
        if (!make_scratch(s, otf2_record_scratch(otf2_wire_left_over(&source)))) {
            otf2_timed_fail(&s->stream, OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a record");
            return OTF2_SNAP_FAILED;
        }
        if (!otf2_record_decode(&source, record.row, &data, s->scratch, s->scratch_bytes)) {
            otf2_timed_malformed(&s->stream, record.row->name);
            return OTF2_SNAP_FAILED;
        }
        s->stream.at = record.end;
        code = calls[record.row->index](s, g, s->stream.time, &data);
    } else {
        s->stream.at = record.end;
        code = call_unknown(s, g);
    }
    otf2_attributes_clear(&s->attributes);
    return code == OTF2_CALLBACK_SUCCESS ? OTF2_SNAP_DELIVERED : OTF2_SNAP_INTERRUPTED;
}

static OTF2_ErrorCode check_own(const OTF2_SnapReader *s)
{
    if (!s->global)
        return OTF2_SUCCESS;
    return OTF2_ERROR(OTF2_ERROR_INVALID_CALL, "location %llu is being read by the global reader",
                      (unsigned long long)s->id);
}

OTF2_ErrorCode OTF2_SnapReader_ReadSnapshots(OTF2_SnapReader *reader, uint64_t recordsToRead,
                                             uint64_t *recordsRead)
{
    if (!reader || !recordsRead)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    *recordsRead = 0;
    OTF2_ErrorCode error = check_own(reader);
    if (error || reader->global)
        return error;
    enum otf2_snap_step end = OTF2_SNAP_DELIVERED;
    uint64_t n = 0;
    while (n < recordsToRead && end == OTF2_SNAP_DELIVERED) {
        end = otf2_snap_step(reader, NULL);
        n += end <= OTF2_SNAP_INTERRUPTED;
    }
    *recordsRead = n;
    return end == OTF2_SNAP_FAILED        ? reader->stream.error
           : end == OTF2_SNAP_INTERRUPTED ? OTF2_ERROR_INTERRUPTED_BY_CALLBACK
                                          : OTF2_SUCCESS;
}

/* ---- to a time ---- */

/*
 * The place of the last snapshot that starts not after `time`, from the stream's place on. False:
 * failed, and reported.
 */
static bool find_start(OTF2_SnapReader *s, OTF2_TimeStamp time, bool *found,
                       struct otf2_timed_mark *start)
{
    struct otf2_timed_record record;
    *found = false;
    for (;;) {
        struct otf2_timed_mark mark = otf2_timed_tell(&s->stream);
        enum otf2_snap_step step = next(s, &record);
        if (step == OTF2_SNAP_FAILED)
            return false;
        if (step == OTF2_SNAP_ENDED || s->stream.time > time)
            return true;
        if (record.row && record.row->index == OTF2_SNAP_SnapshotStart) {
            *found = true;
            *start = mark;
        }
        s->stream.at = record.end;
    }
}

OTF2_ErrorCode OTF2_SnapReader_Seek(OTF2_SnapReader *reader, uint64_t req_time, bool *found)
{
    if (!reader || !found)
        return OTF2_ERROR(OTF2_ERROR_INVALID_ARGUMENT, no_reader);
    OTF2_ErrorCode error = check_own(reader);
    if (error || reader->global)
        return error;
    struct otf2_timed_mark begin = {0};
    struct otf2_timed_mark start = {0};
    bool is_fine =
        otf2_timed_go(&reader->stream, begin) && find_start(reader, req_time, found, &start);
    otf2_attributes_clear(&reader->attributes);
    if (!is_fine)
        return reader->stream.error;
    return otf2_timed_go(&reader->stream, *found ? start : begin) ? OTF2_SUCCESS
                                                                  : reader->stream.error;
}
