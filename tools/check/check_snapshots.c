/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about the snapshots of the locations. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/check/check.h"

struct snapshots {
    struct check *c;
    struct location *at;
    struct chunks file;
    struct place where; /* of the current record */
    const struct otf2_record *record;
    uint64_t time, start_time;
    uint64_t n, announced, n_records;
    bool is_stamped, is_open;
};

static void check_reference(struct check *c, const struct reference *ref, void *context)
{
    const struct snapshots *s = context;
    if (!is_defined(c, ref->ref, ref->id))
        found(c->verdict, RULE_EVENT_REFERENCE, s->where,
              "%s has %s %" PRIu64 ", which is not defined", s->record->name, ref->field, ref->id);
}

static void start(struct snapshots *s, const struct otf2_snap_SnapshotStart *start)
{
    if (s->is_open)
        found(s->c->verdict, RULE_SNAPSHOT_FRAME, s->where, "a snapshot within a snapshot");
    s->is_open = true;
    s->announced = start->numberOfRecords;
    s->n_records = 0;
    s->start_time = s->time;
    s->n++;
}

static void end(struct snapshots *s, const struct otf2_snap_SnapshotEnd *end)
{
    if (!s->is_open)
        found(s->c->verdict, RULE_SNAPSHOT_FRAME, s->where, "SnapshotEnd without SnapshotStart");
    else if (s->n_records != s->announced)
        found(s->c->verdict, RULE_SNAPSHOT_FRAME, s->where,
              "the snapshot has %" PRIu64 " records, its start says %" PRIu64, s->n_records,
              s->announced);
    if (!s->at->is_broken && (!end->contReadPos || end->contReadPos > s->at->n_events + 1))
        found(s->c->verdict, RULE_SNAPSHOT_POSITION, s->where,
              "goes on at event %" PRIu64 " of %" PRIu64, end->contReadPos, s->at->n_events);
    s->is_open = false;
}

/* All records but start and end begin with the time of the event that they repeat. */
static void repeat(struct snapshots *s, const void *data)
{
    uint64_t original;
    memcpy(&original, data, sizeof original);
    s->n_records++;
    if (!s->is_open)
        found(s->c->verdict, RULE_SNAPSHOT_FRAME, s->where, "%s outside of a snapshot",
              s->record->name);
    else if (s->time != s->start_time || original > s->time)
        found(s->c->verdict, RULE_SNAPSHOT_TIME, s->where,
              "%s of %" PRIu64 " at %" PRIu64 " in the snapshot of %" PRIu64, s->record->name,
              original, s->time, s->start_time);
    each_reference(s->record, data, check_reference, s->c, s);
    check_enums(s->c, s->record, data, s->where);
}

static void judge(struct snapshots *s, const union otf2_any_record *data)
{
    if (s->record->index == OTF2_SNAP_SnapshotStart)
        start(s, &data->snap_SnapshotStart);
    else if (s->record->index == OTF2_SNAP_SnapshotEnd)
        end(s, &data->snap_SnapshotEnd);
    else
        repeat(s, data);
}

static bool read_record(struct snapshots *s)
{
    struct chunks *f = &s->file;
    uint64_t length;
    uint8_t id = *f->at;
    if (!chunks_frame(f, &length))
        return false;
    struct otf2_wire_source from = {f->at, f->at + length, f->is_swapped};
    size_t room = otf2_record_scratch((size_t)length);
    void *scratch = take_memory(room);
    union otf2_any_record data;
    f->at += length;
    s->is_stamped = false;
    if (id == CONTROL_ATTRIBUTES) {
        free(scratch);
        return true;
    }
    f->count++;
    s->record = otf2_record_by_id(OTF2_PLACE_SNAPSHOTS, id);
    if (!s->record)
        found(s->c->verdict, RULE_RECORD_UNKNOWN, s->where, "snapshot record %u is not known", id);
    else if (!otf2_record_decode(&from, s->record, &data, scratch, room))
        found(s->c->verdict, RULE_RECORD_BYTES, s->where, "%s cannot be decoded", s->record->name);
    else
        judge(s, &data);
    if (s->record && from.at != from.end)
        found(s->c->verdict, RULE_RECORD_LENGTH, s->where, "%s ends %zu bytes before its length",
              s->record->name, otf2_wire_left_over(&from));
    free(scratch);
    return true;
}

static bool read_timestamp(struct snapshots *s)
{
    struct chunks *f = &s->file;
    if (!chunks_want(f, 9)) {
        found(s->c->verdict, RULE_FILE_CUT, s->where, "the file ends inside a timestamp");
        return false;
    }
    if (s->is_stamped)
        found(s->c->verdict, RULE_TIMESTAMP_TWICE, s->where, "a timestamp behind a timestamp");
    struct otf2_wire_source from = {f->at + 1, f->at + 9, f->is_swapped};
    uint64_t time = otf2_wire_load(&from, 8);
    if (f->count && time < s->time)
        found(s->c->verdict, RULE_TIME_BACK, s->where, "the time goes back by %" PRIu64 " ticks",
              s->time - time);
    s->time = time;
    s->is_stamped = true;
    f->at += 9;
    return true;
}

static void read_file(struct snapshots *s)
{
    enum record_found next;
    while ((next = chunks_next(&s->file)) == RECORD_FOUND) {
        s->where = chunks_place(&s->file);
        if (!(*s->file.at == CONTROL_TIMESTAMP ? read_timestamp(s) : read_record(s)))
            return;
    }
    if (next == RECORD_END && s->is_open)
        found(s->c->verdict, RULE_SNAPSHOT_FRAME, s->where, "the file ends inside of a snapshot");
    if (s->n > s->c->anchor.snapshots)
        found(s->c->verdict, RULE_SNAPSHOT_COUNT, (struct place){.file = s->file.name},
              "has %" PRIu64 " snapshots, the anchor file announces %" PRIu32, s->n,
              s->c->anchor.snapshots);
}

void check_snapshots(struct check *c)
{
    char name[FILE_NAME_BYTES];
    struct location *at = NULL;
    while ((at = next_in_phase(c, PHASE_SNAPSHOTS, at))) {
        struct snapshots s = {.c = c, .at = at};
        bool is_missing;
        if (location_open(c, &s.file, OTF2_FILETYPE_SNAPSHOTS, s.at->id, name, &is_missing)) {
            read_file(&s);
            chunks_close(&s.file);
        } else if (is_missing && c->anchor.snapshots) {
            found(c->verdict, RULE_FILE_MISSING, (struct place){.file = name},
                  "is missing, the anchor file announces %" PRIu32 " snapshots",
                  c->anchor.snapshots);
        }
    }
}
