/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about markers and thumbnails: files without times. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/check/check.h"

enum { THUMBNAIL_CHUNK_BYTES = 1048576 };

/* A file of either kind while it is read. */
struct side_file {
    struct check *c;
    enum otf2_place kind;
    struct place where;   /* of the current record */
    struct table markers; /* a: id */
    uint64_t next_marker;
    uint64_t n_records, n_samples; /* of a thumbnail */
    struct otf2_thumb_ThumbnailHeader header;
    void (*judge)(struct side_file *f, const struct otf2_record *record,
                  const union otf2_any_record *data);
};

static bool read_record(struct side_file *s, struct chunks *f)
{
    uint64_t length;
    uint8_t id = *f->at;
    const struct otf2_record *record = otf2_record_by_id(s->kind, id);
    s->where = chunks_place(f);
    if (!chunks_frame(f, &length))
        return false;
    struct otf2_wire_source from = {f->at, f->at + length, f->is_swapped};
    size_t room = otf2_record_scratch((size_t)length);
    void *scratch = take_memory(room);
    union otf2_any_record data;
    if (!record) {
        found(s->c->verdict, RULE_RECORD_UNKNOWN, s->where, "record %u is not known", id);
    } else if (!otf2_record_decode(&from, record, &data, scratch, room)) {
        found(s->c->verdict, RULE_RECORD_BYTES, s->where, "%s cannot be decoded", record->name);
    } else {
        if (from.at != from.end)
            found(s->c->verdict, RULE_RECORD_LENGTH, s->where,
                  "%s ends %zu bytes before its length", record->name, otf2_wire_left_over(&from));
        s->judge(s, record, &data);
        check_enums(s->c, record, &data, s->where);
    }
    s->n_records++;
    f->at += length;
    free(scratch);
    return true;
}

/* False: there is no such file, or it ends early. */
static bool read_side_file(struct side_file *s, const char *name, uint64_t chunk_bytes,
                           bool *is_missing)
{
    struct chunks f;
    struct chunks_options how = chunks_how(s->c, false);
    how.chunk_bytes = chunk_bytes;
    how.is_packed = false; /* never, whatever the others are */
    how.stays_open = true;
    if (!chunks_open(&f, s->c->verdict, s->c->dir, name, &how, is_missing))
        return false;
    enum record_found next;
    while ((next = chunks_next(&f)) == RECORD_FOUND) {
        if (read_record(s, &f))
            continue;
        next = RECORD_BROKEN;
        break;
    }
    chunks_close(&f);
    return next == RECORD_END;
}

/* ---- markers ---- */

static void define_marker(struct side_file *s, uint32_t self)
{
    struct key key = {.a = self};
    if (table_find(&s->markers, key))
        found(s->c->verdict, RULE_ID_TWICE, s->where, "marker %" PRIu32 " is defined twice", self);
    else if (self != s->next_marker)
        found(s->c->verdict, RULE_ID_DENSE, s->where, "DefMarker has id %" PRIu32 ", not %" PRIu64,
              self, s->next_marker);
    s->next_marker = self + UINT64_C(1);
    (void)table_intern(&s->markers, key);
}

static void check_marker(struct side_file *s, const struct otf2_marker_Marker *m)
{
    static const enum otf2_ref scopes[] = {[OTF2_MARKER_SCOPE_LOCATION] = OTF2_REF_Location,
                                           [OTF2_MARKER_SCOPE_LOCATION_GROUP] =
                                               OTF2_REF_LocationGroup,
                                           [OTF2_MARKER_SCOPE_SYSTEM_TREE_NODE] =
                                               OTF2_REF_SystemTreeNode,
                                           [OTF2_MARKER_SCOPE_GROUP] = OTF2_REF_Group,
                                           [OTF2_MARKER_SCOPE_COMM] = OTF2_REF_Comm};
    struct check *c = s->c;
    uint64_t end = m->timestamp + m->duration;
    if (!table_find(&s->markers, (struct key){.a = m->marker}))
        found(c->verdict, RULE_MARKER_REFERENCE, s->where, "marker %" PRIu32 " is not defined",
              m->marker);
    if (m->markerScope != OTF2_MARKER_SCOPE_GLOBAL && m->markerScope <= OTF2_MARKER_SCOPE_COMM &&
        !is_defined(c, scopes[m->markerScope], m->scope))
        found(c->verdict, RULE_MARKER_REFERENCE, s->where,
              "the scope %" PRIu64 " of a marker is not defined", m->scope);
    if (c->clock && (m->timestamp < c->begin || end > c->end || end < m->timestamp))
        found(c->verdict, RULE_MARKER_TIME, s->where,
              "a marker from %" PRIu64 " for %" PRIu64 " ticks, the trace is from %" PRIu64
              " to %" PRIu64,
              m->timestamp, m->duration, c->begin, c->end);
}

static void judge_marker(struct side_file *s, const struct otf2_record *record,
                         const union otf2_any_record *data)
{
    if (record->index == OTF2_MARK_DefMarker)
        define_marker(s, data->marker_DefMarker.self);
    else
        check_marker(s, &data->marker_Marker);
}

void check_markers(struct check *c)
{
    char name[FILE_NAME_BYTES];
    struct side_file s = {.c = c,
                          .kind = OTF2_PLACE_MARKERS,
                          .judge = judge_marker,
                          .markers = {.node_bytes = sizeof(struct node)}};
    bool is_missing;
    (void)snprintf(name, sizeof name, "%s.marker", c->name);
    (void)read_side_file(&s, name, c->anchor.def_chunk_bytes, &is_missing);
    table_fini(&s.markers);
}

/* ---- thumbnails ---- */

static void check_header(struct side_file *s, const struct otf2_thumb_ThumbnailHeader *header)
{
    static const enum otf2_ref refs[] = {[OTF2_THUMBNAIL_TYPE_REGION] = OTF2_REF_Region,
                                         [OTF2_THUMBNAIL_TYPE_METRIC] = OTF2_REF_Metric,
                                         [OTF2_THUMBNAIL_TYPE_ATTRIBUTES] = OTF2_REF_Attribute};
    if (s->n_records)
        found(s->c->verdict, RULE_THUMBNAIL, s->where, "a second header");
    s->header = *header;
    for (uint32_t i = 0; i < header->numberOfMetrics; i++)
        if (header->type <= OTF2_THUMBNAIL_TYPE_ATTRIBUTES &&
            !is_defined(s->c, refs[header->type], header->refsToDefs[i]))
            found(s->c->verdict, RULE_THUMBNAIL_REFERENCE, s->where,
                  "shows %" PRIu64 ", which is not defined", header->refsToDefs[i]);
}

static void judge_thumbnail(struct side_file *s, const struct otf2_record *record,
                            const union otf2_any_record *data)
{
    if (record->index == OTF2_THUMB_ThumbnailHeader) {
        check_header(s, &data->thumb_ThumbnailHeader);
        return;
    }
    if (!s->n_records)
        found(s->c->verdict, RULE_THUMBNAIL, s->where, "the first record is no header");
    else if (data->thumb_ThumbnailSample.numberOfMetrics != s->header.numberOfMetrics)
        found(s->c->verdict, RULE_THUMBNAIL, s->where,
              "a sample has %" PRIu32 " values, the header says %" PRIu32,
              data->thumb_ThumbnailSample.numberOfMetrics, s->header.numberOfMetrics);
    s->n_samples++;
}

void check_thumbnails(struct check *c)
{
    char name[FILE_NAME_BYTES];
    for (uint32_t i = 0; i < c->anchor.thumbnails; i++) {
        struct side_file s = {.c = c, .kind = OTF2_PLACE_THUMBNAILS, .judge = judge_thumbnail};
        bool is_missing = false;
        (void)snprintf(name, sizeof name, "%s.%" PRIu32 ".thumb", c->name, i);
        if (!read_side_file(&s, name, THUMBNAIL_CHUNK_BYTES, &is_missing)) {
            if (!is_missing)
                continue;
            found(c->verdict, RULE_FILE_MISSING, (struct place){.file = name},
                  "is missing, the anchor file announces %" PRIu32 " thumbnails",
                  c->anchor.thumbnails);
            break; /* a number of thumbnails that is wrong may be wrong by billions */
        }
        if (s.n_samples != s.header.numberOfSamples)
            found(c->verdict, RULE_THUMBNAIL, (struct place){.file = name},
                  "has %" PRIu64 " samples, the header says %" PRIu32, s.n_samples,
                  s.header.numberOfSamples);
    }
}
