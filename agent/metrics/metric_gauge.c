/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the process that are recorded when they change (agent/spur_gauge.h). */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metric_run.h"
#include "agent/metrics/metric_stream.h"
#include "agent/metrics/metrics.h"
#include "agent/record/event_ways.h"
#include "agent/record/location.h"
#include "agent/spur_agent.h"
#include "agent/state/state.h"
#include "base/own_stack.h"
#include "format/attributes.h"

static const struct spur_gauge *_Atomic started;
static struct spur_metric_stream stream;

static OTF2_MetricRef spur_def_gauge_here(uint32_t n, const struct spur_gauge_value *given)
{
    uint64_t member[SPUR_GAUGE_VALUES];
    for (uint32_t i = 0; i < n; i++) {
        struct spur_metric metric = {.type = OTF2_METRIC_TYPE_OTHER,
                                     .mode = OTF2_METRIC_ABSOLUTE_NEXT,
                                     .value = OTF2_TYPE_UINT64,
                                     .base = OTF2_BASE_DECIMAL};
        snprintf(metric.name, sizeof metric.name, "%s", given[i].name);
        snprintf(metric.unit, sizeof metric.unit, "%s", given[i].unit);
        snprintf(metric.description, sizeof metric.description, "%s", given[i].description);
        member[i] = spur_def_metric_member(&metric);
    }
    return spur_def_metric_class(n, member, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
}
SPUR_DOOR(OTF2_MetricRef, spur_def_gauge, (uint32_t, n), (const struct spur_gauge_value *, given))

static void open_stream(const struct spur_gauge *g)
{
    OTF2_MetricRef class = spur_def_gauge(g->n, g->value);
    if (spur_metric_stream_open(&stream, g->location))
        stream.instance = spur_metric_stream_instance(&stream, class, OTF2_SCOPE_LOCATION_GROUP);
}

static void write_record(const struct spur_gauge *g, OTF2_AttributeList *attributes)
{
    uint64_t read[SPUR_GAUGE_VALUES];
    OTF2_MetricValue value[SPUR_GAUGE_VALUES];
    OTF2_Type type[SPUR_GAUGE_VALUES];
    g->read(read);
    for (uint32_t i = 0; i < g->n; i++) {
        type[i] = OTF2_TYPE_UINT64;
        value[i].unsigned_int = read[i];
    }
    spur_metric_stream_put(&stream, attributes, (uint8_t)g->n, type, value);
}

typedef bool next_reason(void *data, struct spur_gauge_reason *reason);

static void write_with_reasons(const struct spur_gauge *g, next_reason *next, void *data)
{
    struct spur_gauge_reason reason;
    struct otf2_attribute entry[SPUR_GAUGE_ATTRIBUTES];
    while (reason.n = 0, next(data, &reason)) {
        OTF2_AttributeList list = list_of(entry, reason.n, reason.attribute);
        write_record(g, &list);
    }
}

/* With the lock. `next` NULL: one record without a reason. */
static bool write_values_here(next_reason *next, void *data)
{
    const struct spur_gauge *g = started;
    if (!stream.is_opened)
        open_stream(g);
    if (!spur_metric_stream_begin(&stream))
        return false;
    if (next)
        write_with_reasons(g, next, data);
    else
        write_record(g, NULL);
    spur_metric_stream_end(&stream);
    return true;
}
static bool write_values(next_reason *next, void *data);
SPUR_DOOR(bool, write_values, (next_reason *, next), (void *, data))

static bool write_locked(next_reason *next, void *data)
{
    int saved = errno;
    spur_lock_take(&stream.lock);
    bool is_written = write_values(next, data);
    spur_lock_give(&stream.lock);
    errno = saved;
    return is_written;
}

/* The rule of agent/sampling/sample.h; and nothing that the agent is at is continued by itself. */
static bool may_write(void)
{
    const struct spur_loc *loc = spur_self.loc;
    return started && spur_state_now() == SPUR_ON && !spur_locks_held && !spur_is_on_own_stack() &&
           !(loc && atomic_load_explicit(&loc->busy, memory_order_relaxed));
}

bool spur_gauge_changed_for(next_reason *next, void *data)
{
    int cancel;
    if (!may_write())
        return false;
    spur_inside_begin();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    bool is_written = write_locked(next, data);
    pthread_setcancelstate(cancel, NULL);
    spur_inside_end();
    return is_written;
}

void spur_gauge_changed(void)
{
    (void)spur_gauge_changed_for(NULL, NULL);
}

void spur_gauge_start(const struct spur_gauge *gauge)
{
    started = gauge;
    spur_gauge_open();
}

void spur_gauge_open(void)
{
    if (started && !stream.is_opened && spur_is_open())
        (void)write_locked(NULL, NULL);
}

void spur_gauge_end(void)
{
    if (started)
        (void)write_locked(NULL, NULL);
}

void spur_gauge_after_fork(void)
{
    spur_metric_stream_after_fork(&stream);
}
