/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/event_callbacks.h"
#include "tools/view/view_lane.h"

/* ---- calls ---- */

static inline uint32_t region_of(const struct view_lane *l, OTF2_RegionRef id)
{
    const struct view *v = l->part->view;
    if (id < v->n_region_of && v->region_of[id] != NIL)
        return v->region_of[id];
    return defs_region(l->part->defs, id);
}

static OTF2_CallbackCode on_enter(LOCAL_EVENT, OTF2_RegionRef region)
{
    struct view_lane *l = user;
    view_lane_at(l, time);
    view_lane_enter(l, region_of(l, region), defs_calls_in(l->part->defs, attributes));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_leave(LOCAL_EVENT, OTF2_RegionRef region)
{
    struct view_lane *l = user;
    view_lane_at(l, time);
    view_lane_leave(l, region_of(l, region));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_enter(LOCAL_EVENT, OTF2_CallingContextRef id, uint32_t distance)
{
    struct view_lane *l = user;
    uint32_t context = defs_context(l->part->defs, id);
    (void)distance;
    view_lane_at(l, time);
    if (context != NIL)
        view_lane_enter_context(l, context, defs_calls_in(l->part->defs, attributes));
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_leave(LOCAL_EVENT, OTF2_CallingContextRef id)
{
    struct view_lane *l = user;
    uint32_t context = defs_context(l->part->defs, id);
    view_lane_at(l, time);
    if (context != NIL)
        view_lane_leave(l, l->part->defs->contexts.at[context].region);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_sample(LOCAL_EVENT, OTF2_CallingContextRef id, uint32_t distance,
                                   OTF2_InterruptGeneratorRef generator)
{
    struct view_lane *l = user;
    struct view_part *p = l->part;
    uint64_t now = view_lane_at(l, time);
    uint32_t path = view_paths_context(&p->paths, p->defs, defs_context(p->defs, id));
    struct view_sample sample = {now, l->number, path};
    (void)distance, (void)generator;
    if (path == NIL || !l->has_time)
        return OTF2_CALLBACK_SUCCESS;
    if (view_lane_is_seen(l))
        view_tally_slot(&p->sums, path)->samples++;
    view_exact_sample(&p->exact, &sample);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- messages ---- */

static void half(struct view_lane *l, uint64_t time, bool is_receive, uint32_t peer,
                 OTF2_CommRef id, uint32_t tag, uint64_t bytes)
{
    struct view_part *p = l->part;
    uint64_t now = view_lane_at(l, time);
    uint32_t comm = defs_comm(p->defs, id);
    uint32_t other = defs_peer(p->defs, comm, l->process, peer);
    struct view_half half = {
        .envelope = {comm, tag, is_receive ? other : l->process, is_receive ? l->process : other},
        .number = l->ordinal,
        .time = now,
        .bytes = bytes,
        .row = l->number,
        .is_receive = is_receive,
    };
    bool is_unknown = l->missed == NO_NUMBER ||
                      (l->ordinal == NO_NUMBER && p->defs->processes.at[l->process].has_dropped);
    view_exact_half(&p->exact, &half, is_unknown ? NO_NUMBER : l->missed);
    l->missed = 0;
    l->ordinal = NO_NUMBER;
    if (!view_lane_is_seen(l))
        return;
    p->pyramid.level[0].bytes += bytes;
    if (is_receive || other == NIL)
        return;
    view_tally_at(&p->pairs, l->process, view_lane_bucket(l, now));
    struct tally_slot *slot = view_tally_slot(&p->pairs, other);
    slot->value += bytes;
    slot->n++;
}

static OTF2_CallbackCode on_send(LOCAL_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    half(user, time, false, receiver, comm, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_isend(LOCAL_EVENT, uint32_t receiver, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    (void)request;
    half(user, time, false, receiver, comm, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_recv(LOCAL_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    half(user, time, true, sender, comm, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_irecv(LOCAL_EVENT, uint32_t sender, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    (void)request;
    half(user, time, true, sender, comm, tag, bytes);
    return OTF2_CALLBACK_SUCCESS;
}

/* What is said of the next record of a message, see report_gaps.h. */
static OTF2_CallbackCode on_parameter(LOCAL_EVENT, OTF2_ParameterRef parameter, uint64_t value)
{
    struct view_lane *l = user;
    view_lane_at(l, time);
    if (parameter == l->part->defs->ordinal)
        l->ordinal = value;
    else if (parameter == l->part->defs->missed)
        l->missed = value;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_begin(LOCAL_EVENT)
{
    struct view_lane *l = user;
    l->collective_begin = view_lane_at(l, time);
    l->has_collective = true;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_collective_end(LOCAL_EVENT, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                           uint32_t root, uint64_t sent, uint64_t received)
{
    struct view_lane *l = user;
    struct view_part *p = l->part;
    uint64_t now = view_lane_at(l, time);
    struct view_collective c = {l->collective_begin,      now, sent, received, l->number, op,
                                defs_comm(p->defs, comm), root};
    l->has_collective = false;
    l->missed = 0;
    l->ordinal = NO_NUMBER;
    if (view_lane_is_seen(l))
        p->pyramid.level[0].bytes += sent + received;
    view_exact_collective(&p->exact, &c);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- metrics ---- */

static OTF2_CallbackCode on_metric(LOCAL_EVENT, OTF2_MetricRef id, uint8_t n,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct view_lane *l = user;
    struct view_part *p = l->part;
    uint32_t index = defs_class(p->defs, id);
    if (defs_has_shorts(p->defs, index, n))
        view_lane_shorts(l, time, values);
    uint64_t now = view_lane_at(l, time);
    if (index == NIL)
        return OTF2_CALLBACK_SUCCESS;
    const struct metric_class *class = &p->defs->classes.at[index];
    for (uint32_t i = 0; i < n && i < class->n; i++) {
        uint32_t member = defs_member(p->defs, class->members[i]);
        if (member != NIL)
            view_counters_add(&p->counters, l->number, member, now,
                              defs_metric_value(types[i], values[i]));
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- recording, teams ---- */

static OTF2_CallbackCode on_measurement(LOCAL_EVENT, OTF2_MeasurementMode mode)
{
    struct view_lane *l = user;
    view_lane_at(l, time);
    view_lane_switch(l, mode == OTF2_MEASUREMENT_ON);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_begin(LOCAL_EVENT, OTF2_CommRef team)
{
    struct view_lane *l = user;
    struct defs *d = l->part->defs;
    view_lane_at(l, time);
    view_lane_team(l, 1, defs_comm_size(d, defs_comm(d, team)) == 1);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_team_end(LOCAL_EVENT, OTF2_CommRef team)
{
    struct view_lane *l = user;
    (void)team;
    view_lane_at(l, time);
    view_lane_team(l, -1, false);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- all other events ---- */

#define IGNORED(Row, kind, name) , otf2_t_##kind name __attribute__((unused))
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    static OTF2_CallbackCode on_##Name(LOCAL_EVENT OTF2_SEQ(IGNORED, OTF2_##Name, __VA_ARGS__))    \
    {                                                                                              \
        view_lane_at(user, time);                                                                  \
        return OTF2_CALLBACK_SUCCESS;                                                              \
    }
#include <otf2/otf2_events.def>
#undef EVENT

static OTF2_CallbackCode on_unknown(LOCAL_EVENT)
{
    view_lane_at(user, time);
    return OTF2_CALLBACK_SUCCESS;
}

/* NOLINTNEXTLINE(readability-function-size): a statement is a row of the table */
static void register_all(OTF2_EvtReaderCallbacks *c)
{
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    OTF2_EvtReaderCallbacks_Set##Name##Callback(c, on_##Name);
#include <otf2/otf2_events.def>
#undef EVENT
}

OTF2_EvtReaderCallbacks *view_events(void)
{
    OTF2_EvtReaderCallbacks *c = there(OTF2_EvtReaderCallbacks_New());
    register_all(c);
    READ_LOCAL(Unknown, on_unknown);
    READ_LOCAL(Enter, on_enter);
    READ_LOCAL(Leave, on_leave);
    READ_LOCAL(CallingContextEnter, on_context_enter);
    READ_LOCAL(CallingContextLeave, on_context_leave);
    READ_LOCAL(CallingContextSample, on_sample);
    READ_LOCAL(MpiSend, on_send);
    READ_LOCAL(MpiIsend, on_isend);
    READ_LOCAL(MpiRecv, on_recv);
    READ_LOCAL(MpiIrecv, on_irecv);
    READ_LOCAL(ParameterUnsignedInt, on_parameter);
    READ_LOCAL(MpiCollectiveBegin, on_collective_begin);
    READ_LOCAL(MpiCollectiveEnd, on_collective_end);
    READ_LOCAL(Metric, on_metric);
    READ_LOCAL(MeasurementOnOff, on_measurement);
    READ_LOCAL(ThreadTeamBegin, on_team_begin);
    READ_LOCAL(ThreadTeamEnd, on_team_end);
    return c;
}
