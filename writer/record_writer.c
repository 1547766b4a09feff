/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/record_writer.h"

#include <string.h>

#include "format/error.h"
#include "format/memory.h"
#include "writer/archive_state.h"

enum { THUMBNAIL_CHUNK = 1024 * 1024 };

struct otf2_record_writer *otf2_record_writer_open(OTF2_Archive *archive, OTF2_FileType type,
                                                   OTF2_LocationRef location)
{
    struct otf2_record_writer *w = otf2_mem_new(sizeof *w);
    if (!w) {
        (void)OTF2_ERROR(OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a writer");
        return NULL;
    }
    bool is_timed = type == OTF2_FILETYPE_SNAPSHOTS;
    uint64_t chunk_bytes = is_timed ? archive->chunk_events : archive->chunk_defs;
    if (type == OTF2_FILETYPE_THUMBNAIL)
        chunk_bytes = THUMBNAIL_CHUNK;
    w->node.location = location;
    w->stream = (struct otf2_stream){.archive = archive,
                                     .type = type,
                                     .is_timed = is_timed,
                                     .location = location,
                                     .caller = w,
                                     .chunk_bytes = chunk_bytes};
    if (otf2_stream_open(&w->stream, &w->cursor)) {
        otf2_mem_free(w);
        return NULL;
    }
    return w;
}

OTF2_ErrorCode otf2_record_writer_close(struct otf2_record_writer *w)
{
    OTF2_ErrorCode error = otf2_stream_close(&w->stream);
    otf2_mem_free(w);
    return error;
}

/* NULL is right for an array without members only; the count is the last one before it. */
static bool has_all(const struct otf2_record *rec, const void *data)
{
    uint32_t count = 0;
    for (unsigned i = 0; i < rec->nfields; i++) {
        const struct otf2_kind_info *kind = &otf2_kinds[rec->fields[i].kind];
        const char *at = (const char *)data + rec->fields[i].offset;
        bool is_array = kind->shown >= OTF2_SHOWN_ARRAY_NUMBER;
        if (kind->shown == OTF2_SHOWN_COUNT && kind->size == sizeof(uint8_t)) {
            count = (uint8_t)*at;
        } else if (kind->shown == OTF2_SHOWN_COUNT) {
            memcpy(&count, at, sizeof count);
        } else if (is_array || kind->shown == OTF2_SHOWN_TEXT || kind->shown == OTF2_SHOWN_IDMAP) {
            const void *pointer;
            memcpy(&pointer, at, sizeof pointer);
            if (!pointer && (count || !is_array))
                return false;
        }
    }
    return true;
}

static void put(struct otf2_record_writer *w, const struct otf2_record *rec, const void *data,
                uint8_t *p, uint64_t estimate)
{
    unsigned length = otf2_wire_length_bytes(estimate);
    *p = rec->id;
    uint8_t *attributes = p + 1 + length;
    uint8_t *end = otf2_record_encode(attributes, rec, data);
    otf2_wire_set_length(attributes, length, (uint64_t)(end - attributes));
    w->cursor.events++;
    w->cursor.pos = end;
}

OTF2_ErrorCode otf2_record_put(struct otf2_record_writer *w, const struct otf2_record *rec,
                               const void *data)
{
    if (!w)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "no writer for %s", rec->name);
    if (!has_all(rec, data))
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "a pointer of %s is NULL", rec->name);
    uint64_t estimate = otf2_record_estimate(rec, data);
    uint64_t need = 1 + otf2_wire_length_bytes(estimate) + estimate;
    if (need >= (uint64_t)(w->cursor.end - w->cursor.pos)) {
        OTF2_ErrorCode error = otf2_stream_next(&w->stream, 0, need);
        if (error)
            return error;
    }
    put(w, rec, data, w->cursor.pos, estimate);
    return OTF2_SUCCESS;
}

OTF2_ErrorCode otf2_record_put_at(struct otf2_record_writer *w, const struct otf2_record *rec,
                                  const void *data, OTF2_AttributeList *attributes,
                                  OTF2_TimeStamp time)
{
    if (!w)
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "no writer for %s", rec->name);
    if (!has_all(rec, data))
        return OTF2_FAIL(OTF2_ERROR_INVALID_ARGUMENT, "a pointer of %s is NULL", rec->name);
    uint64_t estimate = otf2_record_estimate(rec, data);
    uint64_t need = 1 + otf2_wire_length_bytes(estimate) + estimate + OTF2_FRAME_TIME_BYTES;
    uint8_t *p;
    OTF2_ErrorCode error = otf2_stream_prepare(&w->stream, attributes, time, need, &p);
    if (error)
        return error;
    put(w, rec, data, p, estimate);
    return OTF2_SUCCESS;
}
