/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/short_calls.h"

#include <stdatomic.h>

#include "agent/definitions/definitions.h"
#include "agent/record/event_ways.h"
#include "agent/record/open.h"
#include "agent/segment/buffer.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "base/mem.h"
#include "writer/evt_inline.h"

enum { MEMBERS = 2, DEPTHS = SPUR_SLOT_REGIONS };

/* The state at the Enter of a region. */
struct place {
    uint8_t *before, *after; /* the region's records; `after` is NULL if final */
    const uint8_t *chunk;
    uint64_t events, events_after;
    OTF2_TimeStamp time; /* of the cursor */
    uint64_t entered;
    uint64_t told;  /* calls left out, up to the last record of the count */
    uint64_t ticks; /* time in these calls */
};

struct spur_shorts {
    uint64_t limit;
    uint64_t ticks; /* of all calls left out; calls within a call left out are not added */
    struct place place[DEPTHS]; /* by the depth of the region */
};

static struct {
    OTF2_MetricRef class;
    uint64_t limit;   /* ticks */
    uint64_t watched; /* ns over which ns_per_tick was measured */
    double ns_per_tick;
} shorts = {.class = OTF2_UNDEFINED_METRIC, .ns_per_tick = 1};

/* ---- the process ---- */

/* A very short time is enough to know the rate of the clock. */
static void measure_clock(void)
{
    enum { ENOUGH_NS = 50000 };
    const struct spur_moment *start = &spur_process.start;
    struct spur_moment now = spur_clock_moment();
    if (spur_clock_counts_ns())
        return;
    while (now.monotonic - start->monotonic < ENOUGH_NS)
        now = spur_clock_moment();
    uint64_t watched = now.monotonic - start->monotonic;
    if (watched <= shorts.watched || now.ticks <= start->ticks)
        return;
    shorts.watched = watched;
    shorts.ns_per_tick = (double)watched / (double)(now.ticks - start->ticks);
}

static OTF2_MetricRef define_class(void)
{
    static const struct spur_metric metric[MEMBERS] = {
        {.name = "spur::short_calls",
         .description = "calls so far that took less than SPUR_MIN_DURATION and are only counted",
         .unit = "#"},
        {.name = "spur::short_calls_time",
         .description = "time in these calls so far; inner calls are not added",
         .unit = "ns"},
    };
    uint64_t member[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) {
        struct spur_metric m = metric[i];
        m.type = OTF2_METRIC_TYPE_OTHER;
        m.mode = OTF2_METRIC_ACCUMULATED_START;
        m.value = OTF2_TYPE_UINT64;
        m.base = OTF2_BASE_DECIMAL;
        member[i] = spur_def_metric_member(&m);
    }
    return spur_def_metric_class(MEMBERS, member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU);
}

void spur_short_define(void)
{
    uint64_t wish = spur_settings.min_duration;
    struct spur_segment *segment = spur_buffer_segment();
    if (!wish || !segment)
        return;
    measure_clock();
    shorts.class = define_class();
    bool is_defined = shorts.class != OTF2_UNDEFINED_METRIC;
    shorts.limit = is_defined ? (uint64_t)((double)wish / shorts.ns_per_tick) : 0;
    segment->min_duration = is_defined ? wish : 0;
    segment->short_metric = is_defined ? shorts.class + 1 : 0;
}

uint64_t spur_short_limit(void)
{
    return shorts.limit;
}

/* ---- a location ---- */

struct spur_shorts *spur_short_new(uint64_t limit)
{
    struct spur_shorts *s = spur_mem_new(sizeof *s);
    if (s)
        s->limit = limit;
    return s;
}

void spur_short_free(struct spur_shorts *s)
{
    spur_mem_free(s, sizeof *s);
}

void spur_short_write(struct spur_loc *loc)
{
    static const OTF2_Type type[MEMBERS] = {OTF2_TYPE_UINT64, OTF2_TYPE_UINT64};
    struct spur_slot *slot = loc->slot;
    const OTF2_MetricValue value[MEMBERS] = {{.unsigned_int = slot->short_calls},
                                             {.unsigned_int = slot->short_ns}};
    if (slot->short_calls == slot->short_told)
        return;
    OTF2_ErrorCode error =
        otf2_evt_put_Metric(&slot->cursor, NULL, loc->now, shorts.class, MEMBERS, type, value);
    if (error != OTF2_SUCCESS)
        spur_loc_fail(loc, error);
    slot->short_told = slot->short_calls;
}

/* Is nothing written since the region at this place was entered? */
static bool is_last(const struct place *place, const struct otf2_evt_cursor *cursor)
{
    return place->after && place->after == cursor->pos && place->events_after == cursor->events;
}

/*
 * Only the last records may be taken back, if each record enters a region. So everything before the
 * first such record is firm for readers, while the thread continues.
 */
void spur_short_note(struct spur_loc *loc)
{
    struct spur_shorts *s = loc->shorts;
    struct spur_slot *slot = loc->slot;
    const struct otf2_evt_cursor *cursor = &slot->cursor;
    uint32_t depth = slot->depth;
    if (!depth || depth > DEPTHS || !is_last(&s->place[depth - 1], cursor))
        slot->firm = cursor->pos;
    if (depth < DEPTHS)
        s->place[depth] = (struct place){.before = cursor->pos,
                                         .chunk = cursor->chunk,
                                         .events = cursor->events,
                                         .time = cursor->time,
                                         .entered = loc->now,
                                         .told = slot->short_told,
                                         .ticks = s->ticks};
    spur_short_write(loc);
}

/* Records moved to another chunk, maybe with a flush, stay. */
void spur_short_note_end(struct spur_loc *loc)
{
    const struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    uint32_t depth = loc->slot->depth;
    struct place *place = depth < DEPTHS ? &loc->shorts->place[depth] : NULL;
    if (!place || !place->before || place->chunk != cursor->chunk)
        return;
    place->after = cursor->pos;
    place->events_after = cursor->events;
}

bool spur_short_take_back(struct spur_loc *loc)
{
    struct spur_shorts *s = loc->shorts;
    struct spur_slot *slot = loc->slot;
    const struct otf2_evt_cursor *cursor = &slot->cursor;
    uint32_t depth = slot->depth;
    const struct place *place = depth > 0 && depth <= DEPTHS ? &s->place[depth - 1] : NULL;
    if (!place || !is_last(place, cursor) || loc->now - place->entered >= s->limit ||
        !spur_open_is_region(slot->region[depth - 1]))
        return false;
    slot->depth = depth - 1;
    slot->short_told = place->told;
    take_back(slot, (struct records_end){place->before, place->events, place->time});
    s->ticks = place->ticks + (loc->now - place->entered);
    slot->short_calls++;
    slot->short_ns = (uint64_t)((double)s->ticks * shorts.ns_per_tick);
    return true;
}
