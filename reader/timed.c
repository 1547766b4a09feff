/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/timed.h"

#include "format/error.h"
#include "format/memory.h"

OTF2_ErrorCode otf2_timed_open(struct otf2_timed *s, OTF2_Reader *r, OTF2_FileType type,
                               OTF2_LocationRef location, enum otf2_place place)
{
    *s = (struct otf2_timed){.place = place};
    return otf2_reader_open_file(r, type, location, r->anchor.event_chunk_bytes,
                                 r->anchor.compression, &s->file);
}

void otf2_timed_close(struct otf2_timed *s)
{
    otf2_chunks_close(&s->file);
    otf2_mem_free(s->rewrites);
    s->rewrites = NULL;
    s->n_rewrites = s->room_for_rewrites = 0;
    s->at = s->end = s->fast_end = NULL;
}

static uint64_t offset_of(const struct otf2_timed *s)
{
    return s->end_offset - (uint64_t)(s->end - s->at);
}

enum otf2_timed_step otf2_timed_fail(struct otf2_timed *s, OTF2_ErrorCode code, const char *what)
{
    s->is_broken = true;
    s->error =
        OTF2_ERROR(code, "%s, offset %llu: %s", s->file.path,
                   (unsigned long long)(s->chunk * s->file.chunk_bytes + offset_of(s)), what);
    s->fast_end = NULL;
    return OTF2_TIMED_FAILED;
}

enum otf2_timed_step otf2_timed_malformed(struct otf2_timed *s, const char *what)
{
    return otf2_timed_fail(s, OTF2_ERROR_INVALID_DATA, what);
}

/* The error of a function that has reported it. */
static bool break_off(struct otf2_timed *s, OTF2_ErrorCode error)
{
    s->is_broken = true;
    s->error = error;
    s->at = s->end = s->fast_end = NULL;
    return false;
}

static void set_fast_end(struct otf2_timed *s, const uint8_t *begin)
{
    bool is_host = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && !s->is_swapped && !s->n_rewrites;
    bool is_fast = is_host && s->end - begin > OTF2_TIMED_SLACK;
    s->fast_end = is_fast ? s->end - OTF2_TIMED_SLACK : NULL;
}

/* Makes `want` bytes from an offset of a chunk on available, fewer where the chunk ends. */
static bool load(struct otf2_timed *s, uint64_t chunk, uint64_t offset, uint64_t want)
{
    const uint8_t *bytes;
    uint64_t n;
    OTF2_ErrorCode error = otf2_chunks_get(&s->file, chunk, offset, want, &bytes, &n);
    s->chunk = chunk;
    if (error) {
        s->end_offset = offset;
        return break_off(s, error);
    }
    s->at = bytes;
    s->end = bytes + n;
    s->end_offset = offset + n;
    set_fast_end(s, bytes);
    return true;
}

/* The same from s->at on. */
static inline bool ensure(struct otf2_timed *s, uint64_t want)
{
    if (want <= (uint64_t)(s->end - s->at) || s->end_offset == otf2_chunks_size(&s->file, s->chunk))
        return true;
    return load(s, s->chunk, offset_of(s), want);
}

bool otf2_timed_enter(struct otf2_timed *s, uint64_t chunk, uint64_t *first, uint64_t *last)
{
    s->is_begun = true;
    s->is_broken = false;
    s->is_swapped = false;
    if (!load(s, chunk, 0, OTF2_FRAME_HEADER_BYTES))
        return false;
    if (s->end - s->at < OTF2_FRAME_HEADER_BYTES) {
        otf2_timed_malformed(s, "the file ends in the header of a chunk");
        return false;
    }
    if (s->at[0] != OTF2_FRAME_HEADER ||
        (s->at[1] != OTF2_WIRE_LITTLE && s->at[1] != OTF2_WIRE_BIG)) {
        otf2_timed_malformed(s, "here should be the header of a chunk");
        return false;
    }
    s->is_swapped = s->at[1] != OTF2_WIRE_HOST;
    struct otf2_wire_source header = {s->at + 2, s->at + OTF2_FRAME_HEADER_BYTES, s->is_swapped};
    otf2_wire_get(&header, OTF2_WIRE_FIXED64, first);
    otf2_wire_get(&header, OTF2_WIRE_FIXED64, last);
    s->at = header.at;
    set_fast_end(s, s->at);
    return true;
}

struct otf2_timed_mark otf2_timed_tell(const struct otf2_timed *s)
{
    if (s->is_broken)
        return s->before;
    return (struct otf2_timed_mark){s->chunk, s->is_begun ? offset_of(s) : 0, s->time};
}

bool otf2_timed_go(struct otf2_timed *s, struct otf2_timed_mark mark)
{
    uint64_t ignored;
    s->time = mark.time;
    if (!mark.offset) {
        s->is_broken = false;
        s->is_begun = false;
        s->chunk = mark.chunk;
        s->at = s->end = s->fast_end = NULL;
        return true;
    }
    /* The byte order is in the header. */
    if ((s->chunk != mark.chunk || s->is_broken || !s->is_begun) &&
        !otf2_timed_enter(s, mark.chunk, &ignored, &ignored))
        return false;
    return load(s, mark.chunk, mark.offset, OTF2_TIMED_SLACK);
}

static bool enter_next(struct otf2_timed *s)
{
    uint64_t ignored;
    if (!s->is_begun)
        return otf2_timed_enter(s, s->chunk, &ignored, &ignored);
    if (s->chunk + 1 < s->file.n_chunks)
        return otf2_timed_enter(s, s->chunk + 1, &ignored, &ignored);
    s->at = s->end;
    otf2_timed_malformed(s, "the file ends without an end mark");
    return false;
}

static int compare(const struct otf2_timed_rewrite *a, const struct otf2_timed_rewrite *b)
{
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return a->offset == b->offset ? 0 : a->offset < b->offset ? -1 : 1;
}

/* Where a rewritten timestamp is or would be. */
static uint64_t find_rewrite(const struct otf2_timed *s, const struct otf2_timed_rewrite *wanted)
{
    uint64_t low = 0;
    uint64_t high = s->n_rewrites;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (compare(&s->rewrites[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool get_time(struct otf2_timed *s)
{
    struct otf2_wire_source source = {s->at + 1, s->end, s->is_swapped};
    if (!otf2_wire_get(&source, OTF2_WIRE_FIXED64, &s->time)) {
        otf2_timed_malformed(s, "a timestamp is cut");
        return false;
    }
    struct otf2_timed_rewrite here = {s->chunk, offset_of(s), 0};
    uint64_t i = find_rewrite(s, &here);
    if (i < s->n_rewrites && compare(&s->rewrites[i], &here) == 0)
        s->time = s->rewrites[i].time;
    s->time_offset = here.offset;
    s->at = source.at;
    return true;
}

/* The length field behind the id at s->at, and all that it announces, in memory. */
static bool get_frame(struct otf2_timed *s, const uint8_t **attributes, uint64_t *length)
{
    struct otf2_wire_source source = {s->at + 1, s->end, s->is_swapped};
    if (!otf2_wire_get_length(&source, length))
        return false;
    uint64_t before = (uint64_t)(source.at - s->at);
    uint64_t rest = otf2_chunks_size(&s->file, s->chunk) - offset_of(s) - before;
    if (*length > rest || !ensure(s, before + *length) ||
        (uint64_t)(s->end - s->at) < before + *length)
        return false;
    *attributes = s->at + before;
    return true;
}

static bool get_list(struct otf2_timed *s, OTF2_AttributeList *list)
{
    const uint8_t *entries;
    uint64_t length;
    if (!get_frame(s, &entries, &length)) {
        if (!s->is_broken)
            otf2_timed_malformed(s, "an attribute list is cut");
        return false;
    }
    struct otf2_wire_source source = {entries, entries + length, s->is_swapped};
    OTF2_ErrorCode error = otf2_attributes_decode(&source, list);
    if (error) {
        otf2_attributes_clear(list);
        otf2_timed_fail(s, error, "no attribute list");
        return false;
    }
    s->at = entries + length;
    return true;
}

static enum otf2_timed_step get_record(struct otf2_timed *s, struct otf2_timed_record *record)
{
    uint64_t length;
    record->row = otf2_record_by_id(s->place, *s->at);
    if (record->row && record->row->is_singleton) {
        enum otf2_wire wire = (enum otf2_wire)otf2_kinds[record->row->fields[0].kind].wire;
        struct otf2_wire_source source = {s->at + 1, s->end, s->is_swapped};
        if (!otf2_wire_get(&source, wire, &length))
            return otf2_timed_malformed(s, "a record is cut or malformed");
        record->attributes = s->at + 1;
        record->end = source.at;
        return OTF2_TIMED_RECORD;
    }
    if (!get_frame(s, &record->attributes, &length))
        return s->is_broken ? OTF2_TIMED_FAILED : otf2_timed_malformed(s, "a record is cut");
    record->end = record->attributes + length;
    return OTF2_TIMED_RECORD;
}

enum otf2_timed_step otf2_timed_next(struct otf2_timed *s, OTF2_AttributeList *list,
                                     struct otf2_timed_record *record)
{
    bool goes_on = !s->is_broken;
    struct otf2_timed_mark here = otf2_timed_tell(s);
    if (here.chunk != s->found.chunk || here.offset != s->found.offset)
        s->before = here;
    while (goes_on) {
        if (!s->is_begun) {
            goes_on = enter_next(s);
            continue;
        }
        if (!ensure(s, OTF2_TIMED_SLACK))
            break;
        /* A chunk without a mark at its end is full to its last byte. */
        uint8_t id = s->at < s->end ? *s->at : OTF2_FRAME_END_OF_CHUNK;
        switch (id) {
        case OTF2_FRAME_END_OF_CHUNK:
            goes_on = enter_next(s);
            break;
        case OTF2_FRAME_END_OF_FILE:
            otf2_attributes_clear(list);
            return OTF2_TIMED_END;
        case OTF2_FRAME_TIME:
            goes_on = get_time(s);
            break;
        case OTF2_FRAME_ATTRIBUTES:
            goes_on = get_list(s, list);
            break;
        case OTF2_FRAME_END_OF_BUFFER:
        case OTF2_FRAME_HEADER:
        case OTF2_FRAME_RESERVED:
            return otf2_timed_malformed(s, "no record begins like this");
        default:
            s->found = otf2_timed_tell(s);
            return get_record(s, record);
        }
    }
    return OTF2_TIMED_FAILED;
}

bool otf2_timed_rewrite(struct otf2_timed *s, uint64_t chunk, uint64_t offset, OTF2_TimeStamp time)
{
    enum { FIRST = 16 };
    struct otf2_timed_rewrite rewrite = {chunk, offset, time};
    uint64_t at = find_rewrite(s, &rewrite);
    if (at < s->n_rewrites && compare(&s->rewrites[at], &rewrite) == 0) {
        s->rewrites[at] = rewrite;
        return true;
    }
    if (s->n_rewrites == s->room_for_rewrites) {
        uint64_t room = s->n_rewrites ? 2 * s->n_rewrites : FIRST;
        struct otf2_timed_rewrite *more = otf2_mem_new((size_t)room * sizeof *more);
        if (!more)
            return false;
        if (s->n_rewrites)
            memcpy(more, s->rewrites, (size_t)s->n_rewrites * sizeof *more);
        otf2_mem_free(s->rewrites);
        s->rewrites = more;
        s->room_for_rewrites = room;
    }
    memmove(s->rewrites + at + 1, s->rewrites + at,
            (size_t)(s->n_rewrites - at) * sizeof *s->rewrites);
    s->rewrites[at] = rewrite;
    s->n_rewrites++;
    s->fast_end = NULL;
    return true;
}
