/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "tools/report/topics/report.h"

bool metrics_is_sum(const struct report *r, uint32_t member)
{
    return (r->defs.members.at[member].mode & OTF2_METRIC_VALUE_MASK) != OTF2_METRIC_VALUE_ABSOLUTE;
}

double metrics_scale(const struct report *r, uint32_t member)
{
    const struct metric_member *m = &r->defs.members.at[member];
    return pow(m->base == OTF2_BASE_BINARY ? 2.0 : 10.0, (double)m->exponent);
}

/* What a counter has gained; integers are subtracted as such, since they may be long. */
static double gained(struct metrics *m, uint32_t location, uint64_t which, OTF2_Type type,
                     OTF2_MetricValue value)
{
    uint32_t index = map_index(&m->value_of, location, which, m->values.n);
    if (index == m->values.n)
        (void)LIST_ADD(&m->values); /* all bits zero are zero in every type */
    OTF2_MetricValue last = m->values.at[index];
    m->values.at[index] = value;
    if (type == OTF2_TYPE_DOUBLE)
        return value.floating_point - last.floating_point;
    return (double)(int64_t)(value.unsigned_int - last.unsigned_int);
}

static void note(struct metrics *m, uint32_t node, uint32_t member, double value)
{
    uint32_t index = map_index(&m->index_of, node, member, m->all.n);
    if (index == m->all.n)
        *LIST_ADD(&m->all) = (struct gauge){.node = node,
                                            .member = member,
                                            .min = value,
                                            .max = value,
                                            .born = {m->time, m->location}};
    struct gauge *gauge = &m->all.at[index];
    gauge->n++;
    gauge->sum += value;
    if (value < gauge->min)
        gauge->min = value;
    if (value > gauge->max)
        gauge->max = value;
}

void metrics_belong(struct report *r, const struct stream *s, uint32_t node)
{
    struct metrics *m = &r->metrics;
    if (m->gains.n && m->location == s->location && m->time == s->last)
        m->node = node;
}

void metrics_finish(struct report *r)
{
    struct metrics *m = &r->metrics;
    for (size_t i = 0; i < m->gains.n; i++)
        note(m, m->node, m->gains.at[i].member, m->gains.at[i].value);
    m->gains.n = 0;
}

/* Records of one moment are kept together. */
static void begin_gains(struct report *r, const struct stream *s)
{
    struct metrics *m = &r->metrics;
    if (m->location != s->location || m->time != s->last)
        metrics_finish(r);
    m->location = s->location;
    m->time = s->last;
    m->node = profile_top(s)->node;
}

/* Calls that were only counted: one call up to the record that tells of them. */
static void take_shorts(struct report *r, uint64_t location, uint64_t end,
                        const OTF2_MetricValue *values)
{
    struct profile *p = &r->profile;
    struct stream *s = profile_stream(r, location);
    struct shorts *shorts = &p->shorts[s->location];
    defs_shorts(&r->defs, end, values, shorts);
    if (s->is_off || !s->stack.n || !shorts->calls)
        return;
    const uint64_t unclaimed = s->unclaimed;
    uint64_t begin = shorts->begin;
    if (!r->has_window && begin < s->last)
        begin = s->last;
    profile_at(r, location, &begin);
    profile_at(r, location, &end);
    s->unclaimed = unclaimed;
    uint32_t child = profile_child(p, profile_top(s)->node, REGION_SHORT);
    p->n_calls++;
    p->nodes.at[child].calls = 1;
    p->nodes.at[child].self += end - begin;
}

static OTF2_CallbackCode on_metric(MERGED_EVENT, OTF2_MetricRef metric, uint8_t n,
                                   const OTF2_Type *types, const OTF2_MetricValue *values)
{
    struct report *r = user;
    uint32_t index = defs_class(&r->defs, metric);
    if (defs_has_shorts(&r->defs, index, n))
        take_shorts(r, location, time, values);
    struct stream *s = profile_at(r, location, &time);
    if (index == NIL)
        return OTF2_CALLBACK_SUCCESS;
    begin_gains(r, s);
    const struct metric_class *class = &r->defs.classes.at[index];
    uint64_t memory[MEMORY_VALUES] = {0};
    bool is_memory = false;
    for (uint32_t i = 0; i < n && i < class->n; i++) {
        uint32_t member = defs_member(&r->defs, class->members[i]);
        if (member == NIL)
            continue;
        bool is_counter = (r->defs.members.at[member].mode & OTF2_METRIC_VALUE_MASK) ==
                          OTF2_METRIC_VALUE_ACCUMULATED;
        double value = is_counter ? gained(&r->metrics, s->location, (uint64_t)metric << 8 | i,
                                           types[i], values[i])
                                  : defs_metric_value(types[i], values[i]);
        uint8_t of_memory = r->defs.members.at[member].memory;
        if (of_memory) {
            is_memory = true;
            memory[of_memory - 1] = values[i].unsigned_int;
        }
        const uint8_t of_device = r->defs.members.at[member].device_memory;
        struct device_event event;
        if (of_device &&
            watch_hold(&s->watch, (uint8_t)(of_device - 1), values[i].unsigned_int, &event))
            notes_tell_device(r, s, event);
        if (!s->is_outside)
            *LIST_ADD(&r->metrics.gains) = (struct gain){member, value};
    }
    if (is_memory && report_has(r, s))
        memory_take(r, s, memory, attributes);
    return OTF2_CALLBACK_SUCCESS;
}

void metrics_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(c, on_metric);
}
