/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/record_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "format/def_decode.h"
#include "format/error.h"
#include "format/frame.h"
#include "format/memory.h"
#include "format/wire.h"

enum {
    THUMBNAIL_CHUNK_BYTES = 1024 * 1024, /* whatever the anchor file says */
    FRAME_BYTES = 10,                    /* the longest id and length */
    FIRST_ID = 5,                        /* of a non-event record; control bytes are below */
};

/*
 * A callback that turns an error into a success is not believed: there is no record to go on with.
 */
static OTF2_ErrorCode failed(OTF2_ErrorCode answer, OTF2_ErrorCode code)
{
    return answer ? answer : code;
}

/* The position of byte `at` of the current chunk in the unpacked file. */
static unsigned long long place_of(const struct otf2_records *c, uint64_t at)
{
    return c->chunk * c->file.chunk_bytes + at;
}

OTF2_ErrorCode otf2_records_fault(const struct otf2_records *c, OTF2_ErrorCode code,
                                  const char *format, ...)
{
    char text[256];
    va_list va;
    va_start(va, format);
    vsnprintf(text, sizeof text, format, va);
    va_end(va);
    return failed(OTF2_ERROR(code, "%s: byte %llu: %s", c->file.path,
                             (unsigned long long)c->record_at, text),
                  code);
}

/* Bytes [at, at + want) of the current chunk, fewer at its end. */
static inline OTF2_ErrorCode look_at(struct otf2_records *c, uint64_t at, uint64_t want,
                                     struct otf2_wire_source *s)
{
    static const uint8_t nothing[1];
    const struct otf2_chunks *f = &c->file;
    const uint8_t *bytes = nothing;
    uint64_t n = 0;
    if (f->window_chunk == c->chunk && at >= f->window_at && want <= f->window_bytes &&
        at - f->window_at <= f->window_bytes - want) {
        bytes = f->window + (at - f->window_at);
        *s = (struct otf2_wire_source){bytes, bytes + want, c->is_swapped};
        return OTF2_SUCCESS;
    }
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (want && at < otf2_chunks_size(&c->file, c->chunk))
        error = otf2_chunks_get(&c->file, c->chunk, at, want, &bytes, &n);
    if (error)
        return error;
    *s = (struct otf2_wire_source){bytes, bytes + (n < want ? n : want), c->is_swapped};
    return OTF2_SUCCESS;
}

/* Goes to the first record of a chunk; the cursor stays where it is on an error. */
static OTF2_ErrorCode enter_chunk(struct otf2_records *c, uint64_t chunk)
{
    const uint8_t *header;
    uint64_t n;
    OTF2_ErrorCode error =
        otf2_chunks_get(&c->file, chunk, 0, OTF2_FRAME_HEADER_BYTES, &header, &n);
    if (error)
        return error;
    c->record_at = chunk * c->file.chunk_bytes;
    if (n < OTF2_FRAME_HEADER_BYTES)
        return otf2_records_fault(c, OTF2_ERROR_INVALID_DATA, "the file ends in a chunk header");
    if (header[0] != OTF2_FRAME_HEADER ||
        (header[1] != OTF2_WIRE_LITTLE && header[1] != OTF2_WIRE_BIG))
        return otf2_records_fault(c, OTF2_ERROR_INVALID_DATA, "this is no chunk header");
    c->chunk = chunk;
    c->at = OTF2_FRAME_HEADER_BYTES;
    c->is_swapped = header[1] != OTF2_WIRE_HOST;
    return OTF2_SUCCESS;
}

/* `error` is the result of opening the file. */
static OTF2_ErrorCode begin(struct otf2_records *c, OTF2_ErrorCode error)
{
    if (error)
        return error;
    error = enter_chunk(c, 0);
    if (error)
        otf2_records_close(c);
    return error;
}

OTF2_ErrorCode otf2_records_open(struct otf2_records *c, const char *path, uint64_t chunk_bytes,
                                 OTF2_Compression compression, enum otf2_place place)
{
    *c = (struct otf2_records){.place = place};
    return begin(c, otf2_chunks_open(&c->file, path, chunk_bytes, compression));
}

static enum otf2_place place_in(OTF2_FileType type)
{
    switch ((int)type) {
    case OTF2_FILETYPE_GLOBAL_DEFS:
        return OTF2_PLACE_GLOBAL_DEFS;
    case OTF2_FILETYPE_LOCAL_DEFS:
        return OTF2_PLACE_LOCAL_DEFS;
    case OTF2_FILETYPE_MARKER:
        return OTF2_PLACE_MARKERS;
    default:
        return OTF2_PLACE_THUMBNAILS;
    }
}

OTF2_ErrorCode otf2_records_open_file(struct otf2_records *c, OTF2_Reader *r, OTF2_FileType type,
                                      uint64_t number)
{
    enum otf2_place place = place_in(type);
    bool is_thumbnail = place == OTF2_PLACE_THUMBNAILS;
    /* Only definitions may be compressed. */
    bool is_plain = is_thumbnail || place == OTF2_PLACE_MARKERS;
    *c = (struct otf2_records){.place = place};
    uint64_t chunk_bytes = is_thumbnail ? THUMBNAIL_CHUNK_BYTES : r->anchor.def_chunk_bytes;
    OTF2_Compression compression = is_plain ? OTF2_COMPRESSION_NONE : r->anchor.compression;
    return begin(c, otf2_reader_open_file(r, type, number, chunk_bytes, compression, &c->file));
}

void otf2_records_close(struct otf2_records *c)
{
    otf2_mem_free(c->scratch);
    c->scratch = NULL;
    otf2_chunks_close(&c->file);
}

/* Makes room for the arrays of a record with this number of bytes of attributes. */
static bool make_room(struct otf2_records *c, const struct otf2_record *rec, uint64_t bytes)
{
    size_t room = rec->has_arrays ? otf2_record_scratch((size_t)bytes) : 0;
    if (room <= c->room)
        return true;
    otf2_mem_free(c->scratch);
    c->scratch = otf2_mem_new(room);
    c->room = c->scratch ? room : 0;
    return c->scratch != NULL;
}

/* The reference's error code for attributes that cannot be decoded. */
static OTF2_ErrorCode code_of_bad(const struct otf2_record *rec, struct otf2_wire_source s)
{
    uint64_t type;
    uint64_t n;
    uint64_t mode;
    bool is_map = rec == &otf2_defs[OTF2_DEF_MappingTable] &&
                  otf2_wire_get(&s, OTF2_WIRE_U8, &type) &&
                  otf2_wire_get(&s, OTF2_WIRE_VAR64, &n) && otf2_wire_get(&s, OTF2_WIRE_U8, &mode);
    bool is_no_map = is_map && (n == 0 || mode > OTF2_ID_MAP_SPARSE);
    return is_no_map ? OTF2_ERROR_INTEGRITY_FAULT : OTF2_ERROR_INVALID_DATA;
}

static OTF2_ErrorCode decode(struct otf2_records *c, struct otf2_wire_source *s,
                             struct otf2_read *read)
{
    if (!make_room(c, read->rec, otf2_wire_left_over(s)))
        return otf2_records_fault(c, OTF2_ERROR_MEM_ALLOC_FAILED, "no memory for a %s of %zu bytes",
                                  read->rec->name, otf2_wire_left_over(s));
    bool is_def = c->place == OTF2_PLACE_GLOBAL_DEFS || c->place == OTF2_PLACE_LOCAL_DEFS;
    if (is_def && !s->is_swapped &&
        otf2_def_decode(s->at, s->end, read->rec, &read->data, c->scratch, c->room))
        return OTF2_SUCCESS;
    struct otf2_wire_source from = *s;
    if (otf2_record_decode(s, read->rec, &read->data, c->scratch, c->room))
        return OTF2_SUCCESS;
    return otf2_records_fault(c, code_of_bad(read->rec, from), "malformed %s", read->rec->name);
}

/* The length-framed record at the cursor, whose first byte is `id`. */
static OTF2_ErrorCode read_record(struct otf2_records *c, uint8_t id, struct otf2_read *read)
{
    uint64_t size = otf2_chunks_size(&c->file, c->chunk);
    bool is_last = c->chunk + 1 == c->file.n_chunks;
    struct otf2_wire_source s;
    uint64_t length;
    OTF2_ErrorCode error = look_at(c, c->at, FRAME_BYTES, &s);
    if (error)
        return error;
    const uint8_t *begin = s.at++;
    c->record_at = place_of(c, c->at);
    if (!otf2_wire_get_length(&s, &length))
        return otf2_records_fault(c, OTF2_ERROR_INVALID_DATA, "a record is cut");
    uint64_t attributes = c->at + (uint64_t)(s.at - begin);
    /* In all chunks but the last there is at least one byte behind the last record. */
    if (length > size - attributes || (!is_last && length == size - attributes))
        return otf2_records_fault(c, OTF2_ERROR_INVALID_DATA,
                                  "a record of %llu bytes reaches beyond its %s",
                                  (unsigned long long)length, is_last ? "file" : "chunk");
    error = look_at(c, attributes, length, &s);
    if (error)
        return error;
    if (otf2_wire_left_over(&s) < length)
        return otf2_records_fault(c, OTF2_ERROR_INVALID_DATA, "a record is cut");
    c->at = attributes + length;
    read->is_any = true;
    read->rec = otf2_record_by_id(c->place, id);
    return read->rec ? decode(c, &s, read) : OTF2_SUCCESS;
}

/*
 * Passes over the frame of a record held by the window with at least a byte behind the record: so
 * there is nothing to check; *id and *s are the contents of the frame. False for all other cases.
 */
static inline bool pass_frame(struct otf2_records *c, uint8_t *id, struct otf2_wire_source *s)
{
    const struct otf2_chunks *f = &c->file;
    uint64_t at = c->at - f->window_at;
    if (f->window_chunk != c->chunk || c->at < f->window_at || c->is_swapped ||
        f->window_bytes <= FRAME_BYTES || at >= f->window_bytes - FRAME_BYTES)
        return false;
    const uint8_t *p = f->window + at;
    const uint8_t *attributes = p + 2;
    uint64_t length = p[1];
    if (*p < FIRST_ID)
        return false;
    if (length == OTF2_WIRE_LONG) {
        memcpy(&length, attributes, sizeof length);
        attributes += sizeof length;
    }
    if (length >= (uint64_t)(f->window + f->window_bytes - attributes))
        return false;
    *id = *p;
    *s = (struct otf2_wire_source){attributes, attributes + length, false};
    c->record_at = place_of(c, c->at);
    c->at += (uint64_t)(s->end - p);
    return true;
}

OTF2_ErrorCode otf2_records_next(struct otf2_records *c, struct otf2_read *read)
{
    uint8_t id;
    struct otf2_wire_source attributes;
    if (!c->is_at_end && pass_frame(c, &id, &attributes)) {
        read->is_any = true;
        read->rec = otf2_record_by_id(c->place, id);
        return read->rec ? decode(c, &attributes, read) : OTF2_SUCCESS;
    }
    read->is_any = false;
    while (!c->is_at_end) {
        struct otf2_wire_source s;
        OTF2_ErrorCode error = look_at(c, c->at, 1, &s);
        if (error)
            return error;
        c->record_at = place_of(c, c->at);
        bool is_cut = s.at == s.end;
        if (is_cut || (*s.at == OTF2_FRAME_END_OF_CHUNK && c->chunk + 1 == c->file.n_chunks))
            return otf2_records_fault(c, OTF2_ERROR_INVALID_DATA,
                                      "the file ends without an end mark");
        if (*s.at == OTF2_FRAME_END_OF_FILE) {
            c->is_at_end = true;
        } else if (*s.at == OTF2_FRAME_END_OF_CHUNK) {
            error = enter_chunk(c, c->chunk + 1);
            if (error)
                return error;
        } else {
            return read_record(c, *s.at, read);
        }
    }
    return OTF2_SUCCESS;
}
