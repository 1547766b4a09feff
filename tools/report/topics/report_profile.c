/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "tools/base/quantity.h"
#include "tools/report/topics/report.h"
#include "tools/report/topics/report_shares.h"

enum {
    /* The largest number of unclosed inner regions that a leave closes. */
    UNCLOSED_MAX = 64,
};

/* ---- call paths ---- */

static uint32_t add_node(struct profile *p, uint32_t parent, uint32_t region, uint32_t location,
                         uint32_t site)
{
    uint32_t index = (uint32_t)p->nodes.n;
    uint32_t depth = parent == NIL ? 0 : p->nodes.at[parent].depth + 1;
    *LIST_ADD(&p->nodes) = (struct node){.parent = parent,
                                         .site = site,
                                         .region = region,
                                         .location = location,
                                         .recent = NIL,
                                         .after = NIL,
                                         .depth = depth,
                                         .born = p->streams[location].last,
                                         .min = UINT64_MAX};
    return index;
}

static uint32_t find_child(struct profile *p, uint32_t parent, uint32_t region, uint32_t site)
{
    const uint64_t caller = (uint64_t)(site + 1) << 32 | parent;
    uint32_t child = map_find(&p->child_of, caller, region);
    if (child == NIL) {
        child = add_node(p, parent, region, p->nodes.at[parent].location, site);
        map_set(&p->child_of, caller, region, child);
    }
    return child;
}

static inline bool is_call_of(const struct node *node, uint32_t region, uint32_t site)
{
    return node->region == region && node->site == site;
}

/*
 * Calls in a loop come in the same order again and again: so the search begins behind the recent
 * child.
 */
uint32_t profile_call(struct profile *p, uint32_t parent, uint32_t region, uint32_t site)
{
    uint32_t recent = p->nodes.at[parent].recent;
    if (recent != NIL && is_call_of(&p->nodes.at[recent], region, site))
        return recent;
    uint32_t child = recent == NIL ? NIL : p->nodes.at[recent].after;
    if (child == NIL || !is_call_of(&p->nodes.at[child], region, site)) {
        child = find_child(p, parent, region, site);
        if (recent != NIL)
            p->nodes.at[recent].after = child;
    }
    p->nodes.at[parent].recent = child;
    return child;
}

/* ---- time without recording ---- */

/* Up to the last event, the time without recording belongs to the innermost frame. */
static void account_off(struct report *r, struct stream *s)
{
    if (!s->is_nobody)
        return;
    struct frame *frame = profile_top(s);
    uint64_t ticks = s->last - s->off_since;
    r->profile.nodes.at[frame->node].off += ticks;
    frame->off += ticks;
    s->off += ticks;
    s->off_since = s->last;
}

/* A call still open when recording is switched off is recorded to the end of the call. */
static void go_off(const struct report *r, struct stream *s, uint64_t time)
{
    uint32_t region = r->profile.nodes.at[profile_top(s)->node].region;
    s->is_off = true;
    profile_top(s)->seen = NIL;
    if (r->defs.regions.at[region].is_call || s->is_nobody)
        return;
    s->is_nobody = true;
    s->off_since = time;
}

static void go_on(struct report *r, struct stream *s)
{
    account_off(r, s);
    s->is_off = s->is_nobody = false;
}

/* ---- locations ---- */

static void begin_stream(struct profile *p, struct stream *s, uint64_t time)
{
    s->first = time;
    s->last = time;
    s->lapped = time;
    uint32_t root = add_node(p, NIL, REGION_PROGRAM, s->location, NIL);
    p->nodes.at[root].calls = 1;
    *LIST_ADD(&s->stack) = (struct frame){.enter = time, .seen = NIL, .node = root};
}

/* The merged events of an archive come from another location almost each time. */
struct stream *profile_stream(struct report *r, uint64_t id)
{
    uint32_t *near = &r->profile.near[(id ^ id >> 32) % PROFILE_NEAR];
    if (*near >= r->defs.locations.n || r->defs.locations.at[*near].id != id) {
        uint32_t index = defs_location(&r->defs, id);
        if (index == NIL)
            fail("%s: events of location %llu, which is not defined", r->path,
                 (unsigned long long)id);
        *near = index;
    }
    return &r->profile.streams[*near];
}

/* Events outside of the window happen at the window's border, and do not count. */
static void clip(const struct report *r, struct stream *s, uint64_t *time)
{
    if (*time > s->now)
        s->now = *time;
    s->is_outside = s->now < r->from || s->now > r->to;
    *time = s->now < r->from ? r->from : s->now > r->to ? r->to : s->now;
}

struct stream *profile_at(struct report *r, uint64_t location, uint64_t *time)
{
    struct profile *p = &r->profile;
    if (location != p->last_id || !p->last_stream) {
        p->last_id = location;
        p->last_stream = profile_stream(r, location);
    }
    struct stream *s = p->last_stream;
    const bool is_over = *time > s->stop_at; /* whatever the window is */
    if (r->has_window)
        clip(r, s, time);
    if (!s->stack.n)
        begin_stream(p, s, *time);
    if (*time < s->last) {
        p->odd.backwards++;
        *time = s->last;
    }
    if (is_over && !s->is_off)
        go_off(r, s, s->stop_at > *time ? *time : s->stop_at > s->last ? s->stop_at : s->last);
    s->last = *time;
    s->unclaimed += !s->is_outside;
    return s;
}

/* ---- regions ---- */

/* Up to the last event, the lap belongs to the node `index`. */
static inline void lap(struct profile *p, struct stream *s, uint32_t index)
{
    uint64_t ticks = s->last - s->lapped;
    struct node *node = &p->nodes.at[index];
    if (!ticks)
        return;
    if (!node->lap)
        *LIST_ADD(&s->touched) = index;
    node->lap += ticks;
    if (s->is_framed)
        node->framed += ticks;
    s->lapped = s->last;
}

void profile_lap(struct report *r, struct stream *s)
{
    lap(&r->profile, s, profile_top(s)->node);
}

void profile_lap_last(struct report *r, struct stream *s, uint32_t node, uint64_t ticks)
{
    uint64_t last = s->last;
    s->last -= ticks < last - s->lapped ? ticks : last - s->lapped;
    profile_lap(r, s);
    s->last = last;
    lap(&r->profile, s, node);
}

/* Records before the event that enters belong to the caller. */
static inline void enter(struct report *r, struct stream *s, uint32_t node, uint64_t calls)
{
    const uint32_t region = r->profile.nodes.at[node].region;
    if (s->is_off)
        account_off(r, s);
    if (s->unclaimed > 1) {
        r->profile.nodes.at[profile_top(s)->node].events += s->unclaimed - 1;
        s->unclaimed = 1;
    }
    lap(&r->profile, s, profile_top(s)->node);
    *LIST_ADD(&s->stack) = (struct frame){.enter = s->last,
                                          .call = ++r->profile.n_calls,
                                          .calls = calls,
                                          .seen = NIL,
                                          .node = node,
                                          .is_beyond = s->is_outside && s->now > r->to};
    if (tracks_is_mark(&r->tracks, &r->defs.regions.at[region])) {
        s->is_framed &= r->defs.regions.at[region].meaning != REGION_MPI_END;
        tracks_mark(r, s, node);
    }
    struct device_event event;
    if (s->watch.what && watch_enter(&s->watch, &r->defs, region, s->stack.n, &event))
        notes_tell_device(r, s, event);
}

void profile_enter(struct report *r, struct stream *s, uint32_t node, uint64_t calls)
{
    enter(r, s, node, calls);
}

/* Tells the end of a call to the topics that need the end. */
static void tell_others(struct report *r, struct stream *s, const struct frame *frame)
{
    uint32_t region = r->profile.nodes.at[frame->node].region;
    if (s->open_sends.n)
        messages_returned(r, s);
    if (s->held.n || r->defs.held_by != NIL)
        holders_returned(s, frame);
    if (s->sizes.n)
        sizes_returned(r, s, s->last - frame->enter - frame->off);
    struct device_event event;
    if (s->watch.what && watch_leave(&s->watch, s->stack.n, &event))
        notes_tell_device(r, s, event);
    const uint64_t own = s->last - frame->enter - frame->below - frame->off;
    if (r->defs.regions.at[region].paradigm == OTF2_PARADIGM_MPI) {
        s->in_mpi += own;
        if (frame->calls > 1)
            messages_polled(r, s, frame);
    } else if (frame->calls > 1 && r->defs.regions.at[region].meaning != REGION_THREAD_WAIT)
        profile_wait(r, frame->node, WAIT_THREAD, own);
    switch ((enum region_meaning)r->defs.regions.at[region].meaning) {
    case REGION_MPI_BEGIN:
        notes_want_whole(&r->notes, s->process);
        s->is_framed = true;
        s->mpi = (struct mpi_frame){.begin = s->last, .off = s->off, .has_begun = true};
        break;
    case REGION_MPI_END:
        notes_want_whole(&r->notes, s->process);
        s->mpi.has_ended = true;
        s->mpi.end = frame->enter;
        s->mpi.off = s->off - frame->off - s->mpi.off;
        break;
    case REGION_OMP_BARRIER:
        teams_waited(r, s, frame);
        break;
    case REGION_METADATA:
        files_asked(r, s, frame);
        break;
    case REGION_PLAIN:
    case REGION_THREAD_WAIT:
        break;
    }
}

/* A call of the node has come to an end. The call counts if the call reaches into the window. */
static void add_call(const struct report *r, const struct stream *s, struct node *node,
                     const struct frame *frame, uint64_t took)
{
    if (frame->is_beyond || (s->is_outside && s->now < r->from))
        return;
    node->calls += frame->calls;
    node->folded += frame->calls - 1;
    node->min = took < node->min ? took : node->min;
    if (took > node->max) {
        node->max = took;
        node->max_at = frame->enter;
    }
}

/* Leaves the innermost region at the time of the last event. */
static void pop(struct report *r, struct stream *s)
{
    if (s->is_off)
        account_off(r, s);
    lap(&r->profile, s, profile_top(s)->node);
    const struct frame *frame = &s->stack.at[--s->stack.n];
    struct frame *caller = profile_top(s);
    struct node *node = &r->profile.nodes.at[frame->node];
    uint64_t took = s->last - frame->enter - frame->off;
    node->events += s->unclaimed;
    s->unclaimed = 0;
    node->self += took - frame->below;
    add_call(r, s, node, frame, took);
    caller->below += took;
    caller->off += frame->off;
    caller->seen = NIL;
    tell_others(r, s, frame);
    if (s->is_off)
        go_off(r, s, s->last);
}

bool profile_leave(struct report *r, struct stream *s, uint32_t region)
{
    struct profile *p = &r->profile;
    size_t n = s->stack.n;
    size_t lowest = n > UNCLOSED_MAX ? n - UNCLOSED_MAX : 1;
    while (n > lowest && p->nodes.at[s->stack.at[n - 1].node].region != region)
        n--;
    if (n <= 1 || p->nodes.at[s->stack.at[n - 1].node].region != region) {
        p->odd.strays++;
        return false;
    }
    p->odd.unclosed += s->stack.n - n;
    while (s->stack.n >= n)
        pop(r, s);
    return true;
}

static OTF2_CallbackCode on_enter(MERGED_EVENT, OTF2_RegionRef region)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t index = defs_region(&r->defs, region);
    uint32_t node =
        profile_call(&r->profile, profile_top(s)->node, index, defs_site_in(&r->defs, attributes));
    enter(r, s, node, defs_calls_in(&r->defs, attributes));
    struct device_event event;
    if (s->watch.what &&
        watch_begin(&s->watch, &r->defs, index, s->stack.n, s->last, attributes, &event))
        notes_tell_device(r, s, event);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(MERGED_EVENT, OTF2_RegionRef region)
{
    struct report *r = user;
    profile_leave(r, profile_at(r, location, &time), defs_region(&r->defs, region));
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- the rest ---- */

static OTF2_CallbackCode on_flush(MERGED_EVENT, OTF2_TimeStamp stop)
{
    struct report *r = user;
    const struct stream *s = profile_at(r, location, &time);
    if (!report_has(r, s))
        return OTF2_CALLBACK_SUCCESS;
    r->profile.odd.flushes++;
    if (stop > time) {
        r->profile.odd.flush_ticks += stop - time;
        place_add(&r->profile.odd.longest_flush, time, stop, s->location, s->location);
        r->profile.flush_of.at[s->process] += stop - time;
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_measurement(MERGED_EVENT, OTF2_MeasurementMode mode)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    if (mode == OTF2_MEASUREMENT_OFF && !s->is_off)
        go_off(r, s, time);
    if (mode == OTF2_MEASUREMENT_ON && s->is_off)
        go_on(r, s);
    return OTF2_CALLBACK_SUCCESS;
}

void profile_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(Enter, on_enter);
    READ(Leave, on_leave);
    READ(BufferFlush, on_flush);
    READ(MeasurementOnOff, on_measurement);
}

void profile_init(struct report *r)
{
    struct profile *p = &r->profile;
    size_t n = r->defs.locations.n;
    uint8_t *watched = watch_all(&r->defs);
    size_t room = 0;
    p->shorts = list_grow(NULL, &room, n + 1, sizeof *p->shorts);
    p->streams = there(aligned_alloc(STREAM_LINE, (n ? n : 1) * sizeof *p->streams));
    memset(p->streams, 0, (n ? n : 1) * sizeof *p->streams);
    for (uint32_t i = 0; i < n; i++) {
        p->streams[i].location = i;
        p->streams[i].process = r->defs.locations.at[i].process;
        p->streams[i].watch.what = watched ? watched[i] : WATCH_NOTHING;
        p->streams[i].watch.device = watch_device(&r->defs, i);
        p->streams[i].stop_at = r->defs.processes.at[p->streams[i].process].stopped_at;
    }
    for (size_t i = 0; i < r->defs.processes.n; i++)
        *LIST_ADD(&p->flush_of) = 0;
    free(watched);
}

void profile_wait(struct report *r, uint32_t node, unsigned why, uint64_t ticks)
{
    struct profile *p = &r->profile;
    uint32_t index = map_index(&p->wait_of, node, why, p->waits.n);
    if (index == p->waits.n)
        *LIST_ADD(&p->waits) = (struct wait_sum){p->nodes.at[node].location, node, why, 0};
    p->waits.at[index].ticks += ticks;
}

void profile_wait_at(struct report *r, uint32_t location, uint32_t node, enum wait why,
                     uint64_t ticks)
{
    struct profile *p = &r->profile;
    if (notes_are_direct(&r->notes)) {
        profile_wait(r, node, why, ticks);
        return;
    }
    uint32_t index = map_index(&p->away_of, (uint64_t)location << 32 | node, why, p->away.n);
    if (index == p->away.n)
        *LIST_ADD(&p->away) = (struct wait_sum){location, node, why, 0};
    p->away.at[index].ticks += ticks;
}

uint64_t profile_waited(const struct profile *p, uint32_t node, unsigned why)
{
    uint32_t index = map_find(&p->wait_of, node, why);
    return index == NIL ? 0 : p->waits.at[index].ticks;
}

/* ---- the end ---- */

/*
 * Outside of all regions a directed thread (a member of teams, a queue of an accelerator) is idle;
 * any other thread runs the program.
 */
static void split_root(struct report *r, const struct stream *s)
{
    struct profile *p = &r->profile;
    const struct frame *root = &s->stack.at[0];
    struct node *node = &p->nodes.at[root->node];
    OTF2_LocationType type = r->defs.locations.at[s->location].type;
    bool is_program = type == OTF2_LOCATION_TYPE_CPU_THREAD || type == OTF2_LOCATION_TYPE_UNKNOWN;
    bool is_worker =
        s->in_teams && !s->has_forked && s->location != r->defs.processes.at[s->process].main;
    uint64_t whole = s->last - s->first - root->off;
    uint64_t idle = 0;
    if (type == OTF2_LOCATION_TYPE_METRIC)
        return;
    node->self = whole - root->below;
    if (!is_program)
        idle = node->self;
    else if (is_worker && s->in_teams < whole)
        idle = whole - s->in_teams < node->self ? whole - s->in_teams : node->self;
    if (idle) {
        node->self -= idle;
        uint32_t child = profile_child(p, root->node, REGION_IDLE);
        p->nodes.at[child].calls = 1;
        p->nodes.at[child].self = idle;
    }
}

void profile_close(struct report *r)
{
    struct profile *p = &r->profile;
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        struct stream *s = &p->streams[i];
        if (!s->stack.n)
            continue;
        p->odd.open += s->stack.n - 1;
        while (s->stack.n > 1)
            pop(r, s);
        lap(p, s, s->stack.at[0].node);
        tracks_close(r, s);
        p->nodes.at[s->stack.at[0].node].events += s->unclaimed;
        account_off(r, s);
    }
}

void profile_finish(struct report *r)
{
    struct profile *p = &r->profile;
    r->first = UINT64_MAX;
    for (size_t i = 0; i < r->defs.locations.n; i++) {
        const struct stream *s = &p->streams[i];
        if (!s->stack.n)
            continue;
        split_root(r, s);
        r->first = s->first < r->first ? s->first : r->first;
        r->last = s->last > r->last ? s->last : r->last;
    }
    if (r->first == UINT64_MAX)
        r->first = r->last;
    shares_make(r);
    for (size_t i = p->nodes.n; i-- > 0;) {
        struct node *node = &p->nodes.at[i];
        node->total += node->self;
        if (node->parent != NIL && node->region != REGION_OFF)
            p->nodes.at[node->parent].total += node->total;
    }
}
