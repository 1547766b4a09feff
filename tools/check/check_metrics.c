/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about metrics, their definitions and their events, and about parameters. */
#include <inttypes.h>

#include "tools/check/check_devices.h"

static void check_instance(struct check *c, const struct definition *d)
{
    static const enum otf2_ref scopes[] = {[OTF2_SCOPE_LOCATION] = OTF2_REF_Location,
                                           [OTF2_SCOPE_LOCATION_GROUP] = OTF2_REF_LocationGroup,
                                           [OTF2_SCOPE_SYSTEM_TREE_NODE] = OTF2_REF_SystemTreeNode,
                                           [OTF2_SCOPE_GROUP] = OTF2_REF_Group};
    const struct otf2_def_MetricInstance *def = d->data;
    if (is_defined(c, OTF2_REF_Metric, def->metricClass) &&
        !defined_as(c, OTF2_REF_Metric, def->metricClass, OTF2_DEF_MetricClass))
        found(c->verdict, RULE_METRIC_INSTANCE, definition_place(c, d),
              "metric instance %u is one of %u, which is no class", def->self, def->metricClass);
    if (def->metricScope <= OTF2_SCOPE_GROUP &&
        !is_defined(c, scopes[def->metricScope], def->scope))
        found(c->verdict, RULE_METRIC_INSTANCE, definition_place(c, d),
              "metric instance %u has scope %" PRIu64 ", which is not defined", def->self,
              def->scope);
}

void check_metric_definitions(struct check *c)
{
    for (size_t i = 0; i < c->n_all; i++) {
        const struct definition *d = &c->all[i];
        if (d->record == OTF2_DEF_MetricMember) {
            const struct otf2_def_MetricMember *def = d->data;
            if (def->valueType != OTF2_TYPE_INT64 && def->valueType != OTF2_TYPE_UINT64 &&
                def->valueType != OTF2_TYPE_DOUBLE)
                found(c->verdict, RULE_METRIC_MEMBER, definition_place(c, d),
                      "metric member %u has values of type %u", def->self, def->valueType);
        } else if (d->record == OTF2_DEF_MetricClass) {
            const struct otf2_def_MetricClass *def = d->data;
            if (!def->numberOfMetrics)
                found(c->verdict, RULE_METRIC_CLASS_EMPTY, definition_place(c, d),
                      "metric class %u has no members", def->self);
        } else if (d->record == OTF2_DEF_MetricInstance) {
            check_instance(c, d);
        } else if (d->record == OTF2_DEF_MetricClassRecorder) {
            const struct otf2_def_MetricClassRecorder *def = d->data;
            if (is_defined(c, OTF2_REF_Metric, def->metric) &&
                !defined_as(c, OTF2_REF_Metric, def->metric, OTF2_DEF_MetricClass))
                found(c->verdict, RULE_METRIC_INSTANCE, definition_place(c, d),
                      "metric %u has a recorder and is no class", def->metric);
        }
    }
}

/* ---- events ---- */

static void check_values(struct check *c, struct location *at, const struct otf2_evt_Metric *m,
                         const struct otf2_def_MetricClass *class)
{
    if (m->numberOfMetrics != class->numberOfMetrics) {
        found(c->verdict, RULE_METRIC_VALUES, event_place(at),
              "%u values of metric %u, which has %u members", m->numberOfMetrics, m->metric,
              class->numberOfMetrics);
        return;
    }
    for (unsigned i = 0; i < m->numberOfMetrics; i++) {
        const struct otf2_def_MetricMember *member =
            defined_as(c, OTF2_REF_MetricMember, class->metricMembers[i], OTF2_DEF_MetricMember);
        if (member && member->valueType != m->typeIDs[i]) {
            found(c->verdict, RULE_METRIC_VALUES, event_place(at),
                  "value %u of metric %u has type %u, its member %u has %u", i, m->metric,
                  m->typeIDs[i], member->self, member->valueType);
            return;
        }
    }
}

/* ---- counters ---- */

static struct metric_last *last_of(struct location *at, uint32_t metric)
{
    for (size_t i = 0; i < at->n_metrics; i++)
        if (at->metrics[i].metric == metric)
            return &at->metrics[i];
    at->metrics = list_grow(at->metrics, &at->metrics_room, at->n_metrics + 1, sizeof *at->metrics);
    at->metrics[at->n_metrics] = (struct metric_last){.metric = metric};
    return &at->metrics[at->n_metrics++];
}

static bool is_less(OTF2_Type type, OTF2_MetricValue a, OTF2_MetricValue b)
{
    return type == OTF2_TYPE_INT64    ? a.signed_int < b.signed_int
           : type == OTF2_TYPE_UINT64 ? a.unsigned_int < b.unsigned_int
                                      : a.floating_point < b.floating_point;
}

static void check_monotone(struct check *c, struct location *at, const struct otf2_evt_Metric *m,
                           const struct otf2_def_MetricClass *class)
{
    struct metric_last *last = last_of(at, m->metric);
    for (uint8_t i = 0; i < m->numberOfMetrics && i < class->numberOfMetrics; i++) {
        const struct otf2_def_MetricMember *member =
            defined_as(c, OTF2_REF_MetricMember, class->metricMembers[i], OTF2_DEF_MetricMember);
        bool is_counter = member && (member->metricMode & OTF2_METRIC_VALUE_MASK) ==
                                        OTF2_METRIC_VALUE_ACCUMULATED;
        if (is_counter && i < last->n && is_less(m->typeIDs[i], m->metricValues[i], last->value[i]))
            found(c->verdict, RULE_METRIC_MONOTONE, event_place(at),
                  "value %u of metric %u is less than the one before", i, m->metric);
        last->value[i] = m->metricValues[i];
        last->n = i >= last->n ? (uint8_t)(i + 1) : last->n;
    }
}

/* ---- Enters and Leaves ---- */

/* No Enter or Leave had the time of the strict metric. */
static void report_strict(struct check *c, struct location *at)
{
    at->has_strict = false;
    found(c->verdict, RULE_METRIC_STRICT, place_at(at->id, at->strict_event, at->strict_time),
          "a strictly synchronous metric without Enter or Leave at that time");
}

/* Values behind an Enter or Leave of their time: these, and others of this time, have values. */
static void values_at_edge(struct location *at)
{
    at->strict_time = at->time;
    if (at->n_bare && at->bare_time == at->time)
        at->n_bare = 0;
}

void metric(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_Metric *m = &e->evt_Metric;
    uint32_t number = m->metric;
    const struct otf2_def_MetricInstance *instance =
        defined_as(c, OTF2_REF_Metric, number, OTF2_DEF_MetricInstance);
    if (instance) {
        number = instance->metricClass;
        if (instance->recorder != at->id)
            found(c->verdict, RULE_METRIC_RECORDER, event_place(at),
                  "metric instance %u is recorded by location %" PRIu64, m->metric,
                  instance->recorder);
    }
    const struct otf2_def_MetricClass *class =
        defined_as(c, OTF2_REF_Metric, number, OTF2_DEF_MetricClass);
    if (!class)
        return;
    check_values(c, at, m, class);
    check_monotone(c, at, m, class);
    memory_value(c, at, m, class);
    if (class->metricOccurrence != OTF2_METRIC_SYNCHRONOUS_STRICT)
        return;
    if (at->has_edge && at->edge_time == at->time) {
        values_at_edge(at);
        return;
    }
    if (at->has_strict && at->strict_time != at->time)
        report_strict(c, at);
    at->has_strict = true;
    at->strict_time = at->time;
    at->strict_event = at->file.count - 1;
}

static void report_bare(struct check *c, struct location *at)
{
    found(c->verdict, RULE_METRIC_EVERY, place_at(at->id, at->bare_event, at->bare_time),
          "%" PRIu64 " events without strictly synchronous metrics, which others before and after "
          "have",
          at->n_bare);
    at->n_bare = 0;
}

/*
 * This one has no strict metrics, which is fine if no other one has any from now on, or if one of
 * the same time had some.
 */
static void note_bare(struct location *at)
{
    if (at->strict_time == at->time || at->n_bare++ > 0)
        return;
    at->bare_event = at->file.count - 1;
    at->bare_time = at->time;
}

/* An Enter or Leave has come. */
void metrics_edge(struct check *c, struct location *at)
{
    at->has_edge = true;
    at->edge_time = at->time;
    if (!at->has_strict) {
        if (at->is_strict)
            note_bare(at);
        return;
    }
    if (at->strict_time != at->time)
        report_strict(c, at);
    at->has_strict = false;
    at->is_strict = true;
    if (at->n_bare)
        report_bare(c, at);
}

void metrics_sample(struct check *c, struct location *at)
{
    if (at->has_strict && at->strict_time != at->time)
        report_strict(c, at);
    at->has_strict = false;
}

void metrics_finish(struct check *c, struct location *at)
{
    if (at->has_strict)
        report_strict(c, at);
}

/* ---- parameters ---- */

static void check_parameter(struct check *c, struct location *at, uint32_t number,
                            OTF2_ParameterType type)
{
    const struct otf2_def_Parameter *def =
        defined_as(c, OTF2_REF_Parameter, number, OTF2_DEF_Parameter);
    if (def && def->parameterType != type)
        found(c->verdict, RULE_PARAMETER_TYPE, event_place(at),
              "parameter %u is of type %u, the event is for type %u", number, def->parameterType,
              type);
}

void parameter_string(struct check *c, struct location *at, event_data e)
{
    check_parameter(c, at, e->evt_ParameterString.parameter, OTF2_PARAMETER_TYPE_STRING);
}

void parameter_int(struct check *c, struct location *at, event_data e)
{
    check_parameter(c, at, e->evt_ParameterInt.parameter, OTF2_PARAMETER_TYPE_INT64);
}

void parameter_unsigned(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ParameterUnsignedInt *p = &e->evt_ParameterUnsignedInt;
    check_parameter(c, at, p->parameter, OTF2_PARAMETER_TYPE_UINT64);
    mark_set(c, at, p->parameter, p->value);
    device_parameter(c, at, p->parameter, p->value);
}
