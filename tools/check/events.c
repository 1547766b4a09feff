/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All events of all locations in the order of corrected time and, for equal times, of the
 * location's id: a heap of locations, each with the time of its next event.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/check/check_devices.h"
#include "tools/check/decode_event.h"

enum { SINGLETON_BYTES = 10 };

typedef void handler(struct check *c, struct location *at, event_data e);

static handler *const handlers[OTF2_EVTS] = {
#define ON(Name, function) [OTF2_EVT_##Name] = function,
#define FREE(Name)
#include "tools/check/handlers.def"
#undef ON
#undef FREE
};

static const bool is_free[OTF2_EVTS] = {
#define ON(Name, function)
#define FREE(Name) [OTF2_EVT_##Name] = true,
#include "tools/check/handlers.def"
#undef ON
#undef FREE
};

/* By id; NULL: unknown. */
static const struct otf2_record *records[256];

struct place event_place(const struct location *at)
{
    return place_at(at->id, at->file.count ? at->file.count - 1 : 0, at->time);
}

/* ---- a single location ---- */

uint64_t corrected(struct location *at, uint64_t time)
{
    if (at->n_points < 2)
        return time;
    while (time > at->points[at->interval + 1].time && at->interval + 2 < at->n_points)
        at->interval++;
    const struct clock_point *from = &at->points[at->interval];
    const struct clock_point *to = from + 1;
    double slope = (double)(to->offset - from->offset) / (double)(to->time - from->time);
    double distance =
        time >= from->time ? (double)(time - from->time) : -(double)(from->time - time);
    return time + (uint64_t)from->offset + (uint64_t)(int64_t)rint(slope * distance);
}

static bool lost(struct check *c, struct location *at)
{
    at->is_broken = true;
    c->is_cut = true;
    return false;
}

static bool read_timestamp(struct check *c, struct location *at)
{
    struct chunks *f = &at->file;
    if (!chunks_want(f, 9)) {
        found(c->verdict, RULE_FILE_CUT, chunks_place(f), "the file ends inside a timestamp");
        return lost(c, at);
    }
    if (at->is_stamped)
        found(c->verdict, RULE_TIMESTAMP_TWICE, chunks_place(f), "a timestamp behind a timestamp");
    struct otf2_wire_source s = {f->at + 1, f->at + 9, f->is_swapped};
    at->raw_time = otf2_wire_load(&s, 8);
    at->is_stamped = true;
    at->next_time = corrected(at, at->raw_time);
    f->at += 9;
    return true;
}

static bool read_list(struct check *c, struct location *at)
{
    struct chunks *f = &at->file;
    uint64_t length;
    uint64_t time = at->time;
    if (!chunks_frame(f, &length))
        return lost(c, at);
    struct otf2_wire_source s = {f->at, f->at + length, f->is_swapped};
    f->count++; /* as if the event behind were there already, for findings */
    at->is_listing = true;
    at->time = at->next_time;
    bool is_good = attributes_decode(c, at, &s);
    at->time = time;
    at->is_listing = false;
    f->count--;
    if (is_good && s.at != s.end)
        found(c->verdict, RULE_RECORD_LENGTH, chunks_place(f),
              "an attribute list ends %zu bytes before its length", otf2_wire_left_over(&s));
    f->at += length;
    at->has_attributes = true;
    return true;
}

/* To the next event: false at the end of the location. */
static bool advance(struct check *c, struct location *at)
{
    for (;;) {
        enum record_found next = chunks_next(&at->file);
        if (next == RECORD_BROKEN)
            return lost(c, at);
        if (next == RECORD_END) {
            if (at->has_attributes)
                found(c->verdict, RULE_ATTRIBUTE_LOST, event_place(at),
                      "an attribute list without an event behind it");
            return false;
        }
        if (*at->file.at == CONTROL_TIMESTAMP) {
            if (!read_timestamp(c, at))
                return false;
        } else if (*at->file.at == CONTROL_ATTRIBUTES) {
            if (!read_list(c, at))
                return false;
        } else {
            return true;
        }
    }
}

/* ---- a single event ---- */

static void check_time(struct check *c, struct location *at)
{
    if (at->file.count > 1 && at->time < at->last_time)
        found(c->verdict, RULE_TIME_BACK, event_place(at),
              "the time goes back by %" PRIu64 " ticks", at->last_time - at->time);
    else if (c->clock && (at->time < c->begin || at->time > c->end))
        found(c->verdict, RULE_TIME_RANGE, event_place(at),
              "the trace is from %" PRIu64 " to %" PRIu64, c->begin, c->end);
    at->last_time = at->time;
}

static void enter(struct check *c, struct location *at, uint32_t region)
{
    at->frames = list_grow(at->frames, &at->frames_room, at->depth + 1, sizeof *at->frames);
    at->frames[at->depth++] = (struct frame){region, at->file.count - 1, false};
    if (at->has_strict || at->is_strict || !at->has_edge || at->edge_time != at->time)
        metrics_edge(c, at);
}

static void leave(struct check *c, struct location *at, uint32_t region)
{
    const struct frame *top = at->depth ? &at->frames[at->depth - 1] : NULL;
    if (!top)
        found(c->verdict, RULE_NESTING, event_place(at),
              "Leave of region %" PRIu32 " \"%.80s\", none is open", region,
              region_text(c, region));
    else if (top->is_context || top->ref != region)
        found(c->verdict, RULE_NESTING, event_place(at),
              "Leave of region %" PRIu32 " \"%.80s\", open is %s %" PRIu64 " \"%.80s\"", region,
              region_text(c, region), top->is_context ? "context" : "region", top->ref,
              top->is_context ? "" : region_text(c, (uint32_t)top->ref));
    at->depth -= top != NULL;
    if (at->has_strict || at->is_strict || at->edge_time != at->time)
        metrics_edge(c, at);
}

/* Enter and Leave are most of the events. */
static void judge(struct check *c, struct location *at, const struct otf2_record *record,
                  event_data e)
{
    check_time(c, at);
    if (at->file.count == 1)
        at->first_record = record->index;
    at->last_record = record->index;
    if (at->is_stream)
        device_event(c, at, (enum otf2_evt_index)record->index, e);
    if (record->index == OTF2_EVT_Enter) {
        enter(c, at, e->evt_Enter.region);
        return;
    }
    if (record->index == OTF2_EVT_Leave) {
        if (at->gives_depth && at->gives_depth == at->depth)
            device_call_is_over(c, at);
        if (at->n_blocking)
            io_call_is_over(c, at);
        leave(c, at, e->evt_Leave.region);
        return;
    }
    if (!at->depth && !is_free[record->index])
        found(c->verdict, RULE_EVENT_OUTSIDE, event_place(at), "%s outside of every region",
              record->name);
    if (handlers[record->index])
        handlers[record->index](c, at, e);
}

static bool take_unknown(struct check *c, struct location *at)
{
    uint64_t length;
    struct place where = chunks_place(&at->file);
    uint8_t id = *at->file.at;
    if (!chunks_frame(&at->file, &length))
        return lost(c, at);
    found(c->verdict, RULE_RECORD_UNKNOWN, where, "event %u is not known", id);
    at->file.at += length;
    at->file.count++;
    return true;
}

/* Judges the event at `at` and passes on. */
static bool take_event(struct check *c, struct location *at)
{
    struct chunks *f = &at->file;
    const struct otf2_record *record = records[*f->at];
    union otf2_any_record e;
    uint64_t length = 0;
    at->time = at->next_time;
    /* The order key of all findings of the event, including findings of decoding. */
    at->order = at->time > at->order ? at->time : at->order;
    at->is_stamped = at->has_attributes = false;
    c->n_events++;
    if (!record)
        return take_unknown(c, at);
    if (record->is_singleton) {
        (void)chunks_want(f, SINGLETON_BYTES);
        f->at++;
    } else if (!chunks_frame(f, &length)) {
        return lost(c, at);
    }
    struct otf2_wire_source s = {f->at, record->is_singleton ? f->end : f->at + length,
                                 f->is_swapped};
    f->count++;
    if (!event_decode(c, at, record, &s, &e)) {
        found(c->verdict,
              record->is_singleton && f->chunk_end - f->chunk_start < f->chunk_bytes &&
                      otf2_wire_left_over(&s) < SINGLETON_BYTES
                  ? RULE_FILE_CUT
                  : RULE_RECORD_BYTES,
              chunks_place(f), "%s cannot be decoded", record->name);
        return lost(c, at);
    }
    if (!record->is_singleton && s.at != s.end)
        found(c->verdict, RULE_RECORD_LENGTH, chunks_place(f),
              "%s ends %zu bytes before its length", record->name, otf2_wire_left_over(&s));
    f->at = record->is_singleton ? s.at : f->at + length;
    judge(c, at, record, &e);
    at->memory.is_said = 0;
    return true;
}

static void finish_location(struct check *c, struct location *at)
{
    struct place where = {.location = at->id, .has_location = true};
    at->n_events = at->file.count;
    chunks_close(&at->file);
    if (at->is_broken)
        return;
    if (at->def->numberOfEvents != at->file.count)
        found(c->verdict, RULE_EVENT_COUNT, where, "says %" PRIu64 " events, has %" PRIu64,
              at->def->numberOfEvents, at->file.count);
    if (!at->file.count && !c->allows_unfinished) /* the run may not have begun */
        found(c->verdict, RULE_EVENT_NONE, where, "has no event");
    metrics_finish(c, at);
    nesting_finish(c, at);
    memory_end(c, at);
}

/* ---- the heap ---- */

/*
 * A location by the time of its next event. The times lie together, since the reading of times is
 * the main cost.
 */
struct entry {
    uint64_t time, id;
    struct location *at;
};

/* Without branches: a processor cannot guess the earlier of two locations. */
static bool is_earlier_than(uint64_t time, uint64_t id, const struct entry *y)
{
    return (time < y->time) | ((time == y->time) & (id < y->id));
}

static bool is_before(const struct entry *x, const struct entry *y)
{
    return is_earlier_than(x->time, x->id, y);
}

/*
 * Puts a location at a place of the heap or below. The location is passed by values: the load of a
 * half-written entry would wait until all earlier stores are in the cache, notes for other workers
 * too.
 */
static void sift_down(struct entry *heap, size_t n, size_t i, uint64_t time, struct location *at)
{
    uint64_t id = at->id;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n)
            break;
        child += child + 1 < n && is_before(&heap[child + 1], &heap[child]);
        if (is_earlier_than(time, id, &heap[child]))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i].time = time;
    heap[i].id = id;
    heap[i].at = at;
}

static bool open_location(struct check *c, struct location *at)
{
    char name[FILE_NAME_BYTES];
    bool is_missing;
    local_definitions_read(c, at);
    if (at->is_broken)
        return lost(c, at);
    if (!location_open(c, &at->file, OTF2_FILETYPE_EVENTS, at->id, name, &is_missing)) {
        if (is_missing)
            found(c->verdict, RULE_FILE_MISSING, (struct place){.file = name}, "is missing");
        return lost(c, at);
    }
    return true;
}

/* The locations that a worker still has to read. */
struct merge {
    struct entry *heap;
    size_t n;
};

bool events_read(struct check *c, uint64_t most, uint64_t *read)
{
    struct entry *heap = c->merge->heap;
    size_t n = c->merge->n;
    uint64_t begin = c->n_events;
    uint64_t end = begin + most;
    while (n && c->n_events < end) {
        struct location *at = heap[0].at;
        const struct entry *second = &heap[n > 2 && is_before(&heap[2], &heap[1]) ? 2 : 1];
        uint64_t time = 0;
        bool goes_on;
        c->now = at;
        do {
            goes_on = take_event(c, at) && advance(c, at);
            time = at->next_time;
        } while (goes_on && c->n_events < end && (n == 1 || is_earlier_than(time, at->id, second)));
        if (!goes_on) {
            finish_location(c, at);
            n--;
            at = heap[n].at;
            time = heap[n].time;
        }
        if (n)
            sift_down(heap, n, 0, time, at);
    }
    c->merge->n = n;
    *read = c->n_events - begin;
    return n;
}

/* A time that goes back does not change the order: see is_before(). */
uint64_t events_reached(const struct check *c)
{
    const struct merge *m = c->merge;
    if (!m->n)
        return UINT64_MAX;
    const struct entry *first = &m->heap[0];
    return first->time > first->at->order ? first->time : first->at->order;
}

void events_open(struct check *c)
{
    struct merge *m = c->merge = take_memory(sizeof *m);
    m->heap = take_memory((c->n_locations + 1) * sizeof *m->heap);
    struct location *at = NULL;
    while ((at = next_in_phase(c, PHASE_OPEN, at))) {
        c->now = at;
        if (open_location(c, at) && advance(c, at))
            m->heap[m->n++] = (struct entry){at->next_time, at->id, at};
        else
            finish_location(c, at);
    }
    for (size_t i = m->n / 2; i-- > 0;)
        sift_down(m->heap, m->n, i, m->heap[i].time, m->heap[i].at);
}

void events_close(struct check *c)
{
    free(c->merge->heap);
    free(c->merge);
}

void events_prepare(void)
{
    for (unsigned id = 0; id < 256; id++)
        records[id] = otf2_record_by_id(OTF2_PLACE_EVENTS, (uint8_t)id);
}
