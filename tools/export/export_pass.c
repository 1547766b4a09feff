/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_pass.h"
#include "tools/base/event_callbacks.h"

enum {
    /* The largest number of unclosed inner calls that a leave closes. */
    UNCLOSED_MAX = 64,
    NS = 1000000000,
};

__extension__ typedef __int128 wide;

int64_t export_ns(const struct export *x, uint64_t ticks)
{
    int64_t since = (int64_t)(ticks - x->defs.clock.start);
    uint64_t second = x->defs.clock.ticks_per_second;
    if (second == NS)
        return since;
    if (since >= 0 && second < INT64_MAX / NS)
        return (int64_t)((uint64_t)since / second * NS + (uint64_t)since % second * NS / second);
    return (int64_t)((wide)since * NS / (int64_t)second);
}

/* ---- locations ---- */

void pass_init(struct export *x)
{
    size_t room = 0;
    size_t n = x->defs.locations.n;
    x->told = x->wish.format;
    x->lanes = list_grow(NULL, &room, n ? n : 1, sizeof *x->lanes);
    for (uint32_t i = 0; i < n; i++) {
        x->lanes[i].location = i;
        x->lanes[i].process = x->defs.locations.at[i].process;
        x->lanes[i].stop_at = x->defs.processes.at[x->lanes[i].process].stopped_at;
    }
}

/*
 * Tells a call as soon as the call certainly belongs to the selection: the call lasts at least up
 * to the present time.
 */
static void tell_begun(struct export *x, struct lane *lane)
{
    while (lane->n_begun < lane->stack.n) {
        const struct call *call = &lane->stack.at[lane->n_begun];
        if (!lane->is_chosen || lane->now < x->from || call->is_beyond ||
            lane->last - call->enter < x->min_duration)
            return;
        lane->n_begun++;
        if (x->told->begin)
            x->told->begin(x, lane, call);
    }
}

/* ---- time without recording ---- */

/* Up to the last event, the time without recording belongs to the innermost call. */
static void account_off(const struct export *x, struct lane *lane)
{
    if (lane->is_nobody && lane->stack.n)
        lane->stack.at[lane->stack.n - 1].off +=
            (uint64_t)(export_ns(x, lane->last) - export_ns(x, lane->off_since));
    lane->off_since = lane->last;
}

/* A library call still open when recording is switched off is recorded to the end of the call. */
static void go_off(const struct export *x, struct lane *lane, uint64_t time)
{
    bool is_in_call =
        lane->stack.n && x->defs.regions.at[lane->stack.at[lane->stack.n - 1].region].is_call;
    lane->is_off = true;
    if (!is_in_call && !lane->is_nobody)
        lane->off_since = time;
    lane->is_nobody |= !is_in_call;
}

static uint64_t in_window(const struct export *x, uint64_t time)
{
    return time < x->from ? x->from : time > x->to ? x->to : time;
}

static struct lane *lane_of(struct export *x, uint64_t location)
{
    if (location != x->last_id || !x->last_lane) {
        uint32_t index = defs_location(&x->defs, location);
        if (index == NIL)
            fail("%s: events of location %llu, which is not defined", x->archive.path,
                 (unsigned long long)location);
        x->last_id = location;
        x->last_lane = &x->lanes[index];
    }
    return x->last_lane;
}

struct lane *pass_at(struct export *x, uint64_t location, uint64_t *time)
{
    struct lane *lane = lane_of(x, location);
    if (lane->has_events && *time < lane->now)
        *time = lane->now;
    if (*time > lane->stop_at && !lane->is_off) {
        uint64_t stop = in_window(x, lane->stop_at);
        go_off(x, lane, lane->has_events && lane->last > stop ? lane->last : stop);
    }
    lane->has_events = true;
    lane->now = *time;
    lane->last = in_window(x, *time);
    tell_begun(x, lane);
    return lane;
}

uint64_t pass_call(const struct lane *lane)
{
    return lane->stack.n ? lane->stack.at[lane->stack.n - 1].id : 0;
}

/* ---- calls ---- */

static bool is_open(const struct lane *lane, uint32_t region)
{
    for (size_t i = lane->stack.n; i-- > 0;)
        if (lane->stack.at[i].region == region)
            return true;
    return false;
}

static void enter(struct export *x, struct lane *lane, uint32_t region, uint32_t context,
                  uint32_t site, uint64_t calls)
{
    bool is_nested = is_open(lane, region);
    if (lane->is_off)
        account_off(x, lane);
    *LIST_ADD(&lane->stack) = (struct call){.id = ++x->n_calls,
                                            .enter = lane->last,
                                            .region = region,
                                            .context = context,
                                            .site = site,
                                            .is_beyond = lane->now > x->to,
                                            .is_nested = is_nested,
                                            .calls = calls};
    tell_begun(x, lane);
}

static void tell_end(struct export *x, struct lane *lane, struct call *call, struct call *caller)
{
    if (lane->n_begun <= lane->stack.n)
        return;
    lane->n_begun = lane->stack.n;
    if (x->told->end)
        x->told->end(x, lane, call, caller);
}

static void pop(struct export *x, struct lane *lane, bool is_cut)
{
    if (lane->is_off)
        account_off(x, lane);
    struct call *call = &lane->stack.at[--lane->stack.n];
    struct call *caller = lane->stack.n ? call - 1 : NULL;
    call->leave = lane->last;
    call->is_cut = is_cut;
    if (caller) {
        caller->below += export_duration(x, call);
        caller->off += call->off;
    }
    tell_end(x, lane, call, caller);
    if (lane->is_off)
        go_off(x, lane, lane->last);
}

static void leave(struct export *x, struct lane *lane, uint32_t region)
{
    size_t n = lane->stack.n;
    size_t lowest = n > UNCLOSED_MAX ? n - UNCLOSED_MAX : 0;
    while (n > lowest && lane->stack.at[n - 1].region != region)
        n--;
    if (n == lowest)
        return; /* the region was not entered */
    while (lane->stack.n > n)
        pop(x, lane, true);
    pop(x, lane, false);
}

static OTF2_CallbackCode on_enter(MERGED_EVENT, OTF2_RegionRef region)
{
    struct export *x = user;
    enter(x, pass_at(x, location, &time), defs_region(&x->defs, region), NIL,
          defs_site_in(&x->defs, attributes), defs_calls_in(&x->defs, attributes));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(MERGED_EVENT, OTF2_RegionRef region)
{
    struct export *x = user;
    leave(x, pass_at(x, location, &time), defs_region(&x->defs, region));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_enter(MERGED_EVENT, OTF2_CallingContextRef id,
                                          uint32_t distance)
{
    struct export *x = user;
    struct lane *lane = pass_at(x, location, &time);
    uint32_t context = defs_context(&x->defs, id);
    (void)distance;
    if (context != NIL)
        enter(x, lane, x->defs.contexts.at[context].region, context,
              defs_site_of_call(&x->defs, context), defs_calls_in(&x->defs, attributes));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_leave(MERGED_EVENT, OTF2_CallingContextRef id)
{
    struct export *x = user;
    struct lane *lane = pass_at(x, location, &time);
    uint32_t context = defs_context(&x->defs, id);
    if (context != NIL)
        leave(x, lane, x->defs.contexts.at[context].region);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- events within calls ---- */

static OTF2_CallbackCode on_sample(MERGED_EVENT, OTF2_CallingContextRef context, uint32_t distance,
                                   OTF2_InterruptGeneratorRef generator)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    (void)distance;
    struct sample sample = {time, pass_call(lane), defs_context(&x->defs, context),
                            defs_generator(&x->defs, generator)};
    if (x->told->sample && pass_has(x, lane, time))
        x->told->sample(x, lane, &sample);
    return OTF2_CALLBACK_SUCCESS;
}

/* Calls that were only counted become a single call, up to the record with their count. */
static void tell_shorts(struct export *x, uint64_t location, uint64_t end,
                        const OTF2_MetricValue *values)
{
    struct lane *lane = lane_of(x, location);
    defs_shorts(&x->defs, end, values, &lane->shorts);
    uint64_t begin = lane->shorts.begin;
    if (lane->is_off || !lane->has_events || !lane->shorts.calls)
        return;
    pass_at(x, location, &begin);
    enter(x, lane, REGION_SHORT, NIL, NIL, lane->shorts.calls);
    leave(x, pass_at(x, location, &end), REGION_SHORT);
}

static OTF2_CallbackCode on_metric(MERGED_EVENT, OTF2_MetricRef id, uint8_t n,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct export *x = user;
    uint32_t index = defs_class(&x->defs, id);
    if (defs_has_shorts(&x->defs, index, n))
        tell_shorts(x, location, time, values);
    const struct lane *lane = pass_at(x, location, &time);
    if (index == NIL || !x->told->metric || !pass_has(x, lane, time))
        return OTF2_CALLBACK_SUCCESS;
    const struct metric_class *class = &x->defs.classes.at[index];
    for (uint32_t i = 0; i < n && i < class->n; i++) {
        struct metric metric = {time, pass_call(lane), defs_member(&x->defs, class->members[i]),
                                types[i], values[i]};
        if (metric.member != NIL)
            x->told->metric(x, lane, &metric);
    }
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_begin(MERGED_EVENT)
{
    pass_at(user, location, &time)->collective_begin = time;
    return OTF2_CALLBACK_SUCCESS;
}

static void tell_collective(struct export *x, const struct lane *lane, struct collective *c)
{
    if (c->begin < x->from)
        c->begin = x->from;
    if (x->told->collective && pass_has(x, lane, c->end))
        x->told->collective(x, lane, c);
}

static OTF2_CallbackCode on_collective_end(MERGED_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                           uint32_t root, uint64_t sent, uint64_t received)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct collective c = {lane->collective_begin,
                           time,
                           pass_call(lane),
                           op,
                           defs_comm(&x->defs, comm),
                           root,
                           sent,
                           received};
    tell_collective(x, lane, &c);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_rma_end(MERGED_EVENT, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
                                    OTF2_RmaWinRef window, uint32_t root, uint64_t sent,
                                    uint64_t received)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct collective c = {lane->collective_begin,
                           time,
                           pass_call(lane),
                           op,
                           defs_window_comm(&x->defs, window),
                           root,
                           sent,
                           received};
    (void)level;
    tell_collective(x, lane, &c);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_posted(MERGED_EVENT, uint64_t request)
{
    struct export *x = user;
    posts_add(&x->messages.posts, pass_at(x, location, &time)->process, request, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_complete(MERGED_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                     uint32_t root, uint64_t sent, uint64_t received,
                                     uint64_t request)
{
    struct export *x = user;
    const struct lane *lane = pass_at(x, location, &time);
    struct collective c = {posts_take(&x->messages.posts, lane->process, request, time),
                           time,
                           pass_call(lane),
                           op,
                           defs_comm(&x->defs, comm),
                           root,
                           sent,
                           received};
    tell_collective(x, lane, &c);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_measurement(MERGED_EVENT, OTF2_MeasurementMode mode)
{
    struct export *x = user;
    struct lane *lane = pass_at(x, location, &time);
    if (mode == OTF2_MEASUREMENT_OFF && !lane->is_off)
        go_off(x, lane, lane->last);
    if (mode == OTF2_MEASUREMENT_ON && lane->is_off) {
        account_off(x, lane);
        lane->is_off = lane->is_nobody = false;
    }
    if (x->told->point && pass_has(x, lane, time))
        x->told->point(x, lane, time, "MeasurementOnOff");
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- further events ---- */

static OTF2_CallbackCode point(struct export *x, uint64_t location, uint64_t time, const char *name)
{
    const struct lane *lane = pass_at(x, location, &time);
    if (x->told->point && pass_has(x, lane, time))
        x->told->point(x, lane, time, name);
    return OTF2_CALLBACK_SUCCESS;
}

#define IGNORED(Row, kind, name) , otf2_t_##kind name __attribute__((unused))
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode on_##Name(MERGED_EVENT OTF2_SEQ(IGNORED, OTF2_##Name, __VA_ARGS__))   \
    {                                                                                              \
        return point(user, location, time, #Name);                                                 \
    }
#include <otf2/otf2_events.def>
#undef EVENT

/* NOLINTNEXTLINE(readability-function-size): a statement is a row of the table */
static void register_all(OTF2_GlobalEvtReaderCallbacks *c)
{
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, on_##Name);
#include <otf2/otf2_events.def>
#undef EVENT
}

static OTF2_CallbackCode on_unknown(MERGED_EVENT)
{
    return point(user, location, time, "Unknown");
}

OTF2_GlobalEvtReaderCallbacks *pass_callbacks(void)
{
    OTF2_GlobalEvtReaderCallbacks *c = there(OTF2_GlobalEvtReaderCallbacks_New());
    register_all(c);
    READ(Unknown, on_unknown);
    READ(Enter, on_enter);
    READ(Leave, on_leave);
    READ(CallingContextEnter, on_context_enter);
    READ(CallingContextLeave, on_context_leave);
    READ(CallingContextSample, on_sample);
    READ(Metric, on_metric);
    READ(MpiCollectiveBegin, on_collective_begin);
    READ(MpiCollectiveEnd, on_collective_end);
    READ(RmaCollectiveBegin, on_collective_begin);
    READ(RmaCollectiveEnd, on_rma_end);
    READ(NonBlockingCollectiveRequest, on_posted);
    READ(NonBlockingCollectiveComplete, on_complete);
    READ(MeasurementOnOff, on_measurement);
    halves_register(c);
    return c;
}

void pass_finish(struct export *x)
{
    for (size_t i = 0; i < x->defs.locations.n; i++)
        while (x->lanes[i].stack.n)
            pop(x, &x->lanes[i], true);
    halves_finish(x);
    if (x->told->last)
        x->told->last(x);
}
