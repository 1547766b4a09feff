/* SPDX-License-Identifier: BSD-3-Clause */
/* What is open on a location: records in a list of all and in chains, see snapshots.h. */
#include <stdlib.h>
#include <string.h>

#include "tools/base/complaint.h"
#include "tools/snapshots/snapshots.h"

/* Appends to, and takes from, the list `list` of records that are linked by their member `by`. */
#define APPEND(list, record, by)                                                                   \
    do {                                                                                           \
        (record)->by.next = NULL;                                                                  \
        (record)->by.previous = (list)->last;                                                      \
        *((list)->last ? &(list)->last->by.next : &(list)->first) = (record);                      \
        (list)->last = (record);                                                                   \
    } while (0)
#define TAKE(list, record, by)                                                                     \
    do {                                                                                           \
        struct record *before = (record)->by.previous;                                             \
        struct record *behind = (record)->by.next;                                                 \
        *(before ? &before->by.next : &(list)->first) = behind;                                    \
        *(behind ? &behind->by.previous : &(list)->last) = before;                                 \
    } while (0)

static OTF2_AttributeList *copy_attributes(OTF2_AttributeList *attributes)
{
    uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    if (!count)
        return NULL;
    OTF2_AttributeList *copy = there(OTF2_AttributeList_New());
    for (uint32_t i = 0; i < count; i++) {
        OTF2_AttributeRef attribute;
        OTF2_Type type;
        OTF2_AttributeValue value;
        OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value);
        OTF2_AttributeList_AddAttribute(copy, attribute, type, value);
    }
    return copy;
}

/* Only metrics have arrays. */
static void copy_arrays(struct record *record)
{
    size_t count = record->cells.Metric.numberOfMetrics;
    OTF2_MetricValue *values = take_memory(count * (sizeof(OTF2_MetricValue) + sizeof(OTF2_Type)));
    OTF2_Type *types = (OTF2_Type *)(values + count);
    if (count) {
        memcpy(values, record->cells.Metric.metricValues, count * sizeof *values);
        memcpy(types, record->cells.Metric.typeIDs, count * sizeof *types);
    }
    record->cells.Metric.metricValues = values;
    record->cells.Metric.typeIDs = types;
    record->arrays = values;
}

struct record *record_add(struct location *location, enum chain chain, enum event_type type,
                          const union cells *cells, OTF2_AttributeList *attributes)
{
    struct record *record = take_memory(sizeof *record);
    record->type = type;
    record->chain = chain;
    record->cells = *cells;
    record->attributes = copy_attributes(attributes);
    if (type == EVENT_Metric)
        copy_arrays(record);
    APPEND(&location->all, record, in_all);
    APPEND(&location->chains[chain], record, in_chain);
    location->count++;
    return record;
}

void record_remove(struct location *location, struct record *record)
{
    TAKE(&location->all, record, in_all);
    TAKE(&location->chains[record->chain], record, in_chain);
    location->count--;
    if (record->partner)
        record->partner->partner = NULL;
    OTF2_AttributeList_Delete(record->attributes);
    free(record->arrays);
    free(record);
}

/* ---- writing ---- */

static OTF2_ErrorCode write_record(OTF2_SnapWriter *to, OTF2_TimeStamp time,
                                   const struct record *record)
{
    switch ((int)record->type) {
#define PASS(Row, kind, name) , record->cells.Row.name
#define IS_SNAPSHOT_START ~, 1
#define IS_SNAPSHOT_END ~, 1
#define SECOND(a, b, ...) b
#define IS_FRAME(...) SECOND(__VA_ARGS__, 0, ~)
#define WRITE_0(Name, ...)                                                                         \
    case EVENT_##Name:                                                                             \
        return OTF2_SnapWriter_##Name(to, record->attributes,                                      \
                                      time OTF2_SEQ(PASS, Name, __VA_ARGS__));
#define WRITE_1(Name, ...)
#define SNAP(Name, NAME, id, major, minor, ...)                                                    \
    OTF2_CAT_(WRITE_, IS_FRAME(IS_##NAME))(Name, __VA_ARGS__)
#include <otf2/otf2_snaps.def>
#undef SNAP
    default:
        return OTF2_SUCCESS; /* no other type is kept */
    }
}

void location_write(const struct location *location, OTF2_SnapWriter *to, OTF2_TimeStamp time)
{
    /* Behind the last event there is none to go on with. */
    uint64_t position = location->events + (location->events != location->events_defined);
    OTF2_ErrorCode error = OTF2_SnapWriter_SnapshotStart(to, NULL, time, location->count);
    for (const struct record *r = location->all.first; r && !error; r = r->in_all.next)
        error = write_record(to, time, r);
    if (!error)
        error = OTF2_SnapWriter_SnapshotEnd(to, NULL, time, position);
    if (error)
        complaint_fail("a snapshot cannot be written: %s", OTF2_Error_GetDescription(error));
}
