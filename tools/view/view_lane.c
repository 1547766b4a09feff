/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_lane.h"

#include <stdlib.h>

/* A leave closes at most so many calls that were left open within. */
enum { UNCLOSED_MAX = 64 };

static struct view_frame *top(const struct view_lane *l)
{
    return &l->stack.at[l->stack.n - 1];
}

/* ---- time ---- */

uint32_t view_lane_bucket(const struct view_lane *l, uint64_t time)
{
    const struct view_shape *s = &l->part->view->shape;
    uint64_t bucket = time <= s->from ? 0 : (time - s->from) / s->bucket;
    return (uint32_t)(bucket < s->n ? bucket : s->n - 1) / s->stride;
}

static void spend(struct view_lane *l, uint64_t ns)
{
    struct view_part *p = l->part;
    const struct view_frame *frame = top(l);
    if (p->pyramid.end == NO_TIME || !ns)
        return;
    view_pyramid_spend(&p->pyramid, l->is_nobody ? REGION_OFF : frame->region, ns);
    p->pyramid.level[0].alone += frame->is_alone && !l->is_nobody ? ns : 0;
    view_tally_slot(&p->sums, l->is_nobody ? p->path_off : frame->path)->value += ns;
}

/* Over the ends of buckets. */
static void spend_long(struct view_lane *l, uint64_t to)
{
    struct view_part *p = l->part;
    const struct view_shape *s = &p->view->shape;
    if (l->last < s->from)
        l->last = to < s->from ? to : s->from;
    while (to >= p->pyramid.end) {
        spend(l, p->pyramid.end - l->last);
        l->last = p->pyramid.end;
        view_pyramid_next(&p->pyramid);
        if (p->pyramid.level[0].bucket % s->stride == 0)
            view_tally_at(&p->sums, l->number, view_lane_bucket(l, l->last));
        view_pyramid_depth(&p->pyramid, l->stack.n - 1);
    }
    spend(l, to - l->last);
    l->last = to;
}

static inline void spend_until(struct view_lane *l, uint64_t time)
{
    if (l->has_time && time < l->part->pyramid.end && l->last >= l->part->view->shape.from) {
        spend(l, time - l->last);
        l->last = time;
    } else if (l->has_time) {
        spend_long(l, time);
    } else {
        l->last = time;
    }
}

/* ---- the first and the last event ---- */

void view_lane_begin(struct view_lane *l, struct view_part *p, uint32_t row)
{
    const struct view *v = p->view;
    struct view_row *r = &p->view->rows.at[row];
    const struct location *location = &p->defs->locations.at[r->location];
    *l = (struct view_lane){.part = p,
                            .row = r,
                            .number = row,
                            .location = r->location,
                            .process = location->process,
                            .has_time = location->type != OTF2_LOCATION_TYPE_METRIC,
                            .stop_at = v->defs.processes.at[location->process].stopped_at,
                            .ordinal = NO_NUMBER};
}

static void begin(struct view_lane *l, uint64_t time)
{
    struct view_part *p = l->part;
    OTF2_LocationType type = p->defs->locations.at[l->location].type;
    bool is_program = type == OTF2_LOCATION_TYPE_CPU_THREAD || type == OTF2_LOCATION_TYPE_UNKNOWN;
    l->row->has_events = true;
    l->row->first = time;
    l->last = time;
    *LIST_ADD(&l->stack) = (struct view_frame){
        .enter = time,
        .path = is_program ? p->path_program : p->path_idle,
        .region = is_program ? REGION_PROGRAM : REGION_IDLE,
    };
    view_pyramid_begin(&p->pyramid, l->row->cells, time);
    view_tally_at(&p->sums, l->number, view_lane_bucket(l, time));
}

static void switch_off(struct view_lane *l, uint64_t time)
{
    l->is_off = true;
    l->off_since = time;
    l->is_nobody = !l->part->defs->regions.at[top(l)->region].is_call;
}

uint64_t view_lane_at(struct view_lane *l, uint64_t ticks)
{
    struct view_part *p = l->part;
    uint64_t time = view_ns(p->view, ticks);
    p->first = ticks < p->first ? ticks : p->first;
    p->last = ticks > p->last ? ticks : p->last;
    p->n_events++;
    l->row->n_events++;
    if (!l->stack.n)
        begin(l, time);
    if (time < l->last)
        time = l->last;
    if (ticks > l->stop_at && !l->is_off) {
        uint64_t stop = view_ns(p->view, l->stop_at);
        spend_until(l, stop > l->last ? stop : l->last);
        switch_off(l, l->last);
    }
    spend_until(l, time);
    return time;
}

void view_lane_free(struct view_lane *l)
{
    free(l->stack.at);
}

/* ---- calls ---- */

static void pop(struct view_lane *l, uint32_t flags)
{
    const struct view_frame *frame = &l->stack.at[--l->stack.n];
    struct view_call call = {
        frame->enter,         l->last,     l->number, frame->path, (uint32_t)l->stack.n - 1,
        frame->flags | flags, frame->calls};
    view_exact_call(&l->part->exact, &call);
    l->is_nobody =
        l->is_off && (l->is_nobody || !l->part->defs->regions.at[top(l)->region].is_call);
}

static void enter(struct view_lane *l, struct view_frame frame)
{
    struct view_part *p = l->part;
    frame.enter = l->last;
    *LIST_ADD(&l->stack) = frame;
    if (!view_lane_is_seen(l))
        return;
    view_pyramid_depth(&p->pyramid, l->stack.n - 1);
    view_tally_slot(&p->sums, frame.path)->n += frame.calls;
}

static bool is_alone(const struct view_lane *l, uint32_t region)
{
    return l->alone & 1 && l->part->defs->regions.at[region].meaning == REGION_OMP_BARRIER;
}

void view_lane_enter(struct view_lane *l, uint32_t region, uint64_t calls)
{
    bool alone = is_alone(l, region);
    enum path_kind kind = alone ? PATH_ALONE : PATH_CALL;
    enter(l, (struct view_frame){
                 .path = view_paths_child(&l->part->paths, top(l)->path, region, kind),
                 .region = region,
                 .calls = calls,
                 .is_alone = alone,
             });
}

void view_lane_enter_context(struct view_lane *l, uint32_t context, uint64_t calls)
{
    struct view_part *p = l->part;
    const struct view_frame *around = top(l);
    uint32_t region = p->defs->contexts.at[context].region;
    bool alone = is_alone(l, region);
    enum path_kind kind = alone ? PATH_ALONE : PATH_CALL;
    enter(l, (struct view_frame){
                 .path = view_paths_call(&p->paths, p->defs, around->path, around->region, context,
                                         kind),
                 .region = region,
                 .flags = CALL_HAS_STACK,
                 .calls = calls,
                 .is_alone = alone,
             });
}

void view_lane_shorts(struct view_lane *l, uint64_t ticks, const OTF2_MetricValue *values)
{
    struct shorts *s = &l->shorts;
    defs_shorts(l->part->defs, ticks, values, s);
    uint64_t begin = view_ns(l->part->view, s->begin), end = view_ns(l->part->view, ticks);
    if (l->is_off || !l->stack.n || !s->calls)
        return;
    spend_until(l, begin > l->last ? begin : l->last);
    view_lane_enter(l, REGION_SHORT, s->calls);
    spend_until(l, end > l->last ? end : l->last);
    view_lane_leave(l, REGION_SHORT);
}

void view_lane_leave(struct view_lane *l, uint32_t region)
{
    size_t n = l->stack.n;
    size_t lowest = n > UNCLOSED_MAX ? n - UNCLOSED_MAX : 1;
    while (n > lowest && l->stack.at[n - 1].region != region)
        n--;
    if (n <= 1 || l->stack.at[n - 1].region != region)
        return; /* it was not entered */
    while (l->stack.n > n)
        pop(l, CALL_CUT);
    pop(l, 0);
}

void view_lane_tell_idle(const struct view_lane *l, uint64_t to)
{
    const struct view_frame *outside = &l->stack.at[0];
    if (outside->region == REGION_IDLE && l->has_time && to > outside->enter)
        view_exact_idle(&l->part->exact, &(struct view_idle){outside->enter, to, l->number});
}

void view_lane_finish(struct view_lane *l)
{
    struct view_part *p = l->part;
    if (!l->stack.n)
        return;
    l->row->last = l->last;
    if (l->is_off)
        view_lane_switch(l, true);
    while (l->stack.n > 1)
        pop(l, CALL_CUT);
    view_lane_tell_idle(l, l->last);
    view_pyramid_finish(&p->pyramid);
    view_tally_at(&p->sums, NIL, 0);
    view_tally_at(&p->pairs, NIL, 0);
}

/* ---- recording, teams ---- */

void view_lane_switch(struct view_lane *l, bool on)
{
    if (!on && !l->is_off) {
        switch_off(l, l->last);
    } else if (on && l->is_off) {
        bool is_stop = view_ns(l->part->view, l->stop_at) <= l->off_since && l->stop_at != NO_TIME;
        if (!is_stop)
            *LIST_ADD(&l->row->marks) =
                (struct view_mark){l->number, l->off_since, l->last, "pause", "recording was off"};
        l->is_off = false;
        l->is_nobody = false;
    }
}

void view_lane_team(struct view_lane *l, int change, bool is_alone)
{
    const struct view_part *p = l->part;
    bool is_main = p->defs->processes.at[l->process].main == l->location;
    if (change < 0 && !l->teams)
        return;
    l->teams += (unsigned)change;
    l->alone = change < 0 ? l->alone >> 1 : l->alone << 1 | is_alone;
    l->is_worker |= !is_main;
    if (!l->is_worker)
        return;
    struct view_frame *outside = &l->stack.at[0];
    uint32_t region = l->teams ? REGION_PROGRAM : REGION_IDLE;
    if (outside->region == region)
        return;
    view_lane_tell_idle(l, l->last);
    outside->enter = l->last;
    outside->region = region;
    outside->path = l->teams ? p->path_program : p->path_idle;
}
