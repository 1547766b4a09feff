/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of the process that are recorded when they change (agent/spur_gauge.h). */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metric_run.h"
#include "agent/metrics/metric_stream.h"
#include "agent/record/location.h"
#include "agent/spur_agent.h"
#include "agent/state/state.h"
#include "base/own_stack.h"

static const struct spur_gauge *_Atomic started;
static struct spur_metric_stream stream;

static OTF2_MetricRef define(const struct spur_gauge *g)
{
    uint64_t member[SPUR_GAUGE_VALUES];
    for (uint32_t i = 0; i < g->n; i++) {
        struct spur_metric metric = {.type = OTF2_METRIC_TYPE_OTHER,
                                     .mode = OTF2_METRIC_ABSOLUTE_NEXT,
                                     .value = OTF2_TYPE_UINT64,
                                     .base = OTF2_BASE_DECIMAL};
        snprintf(metric.name, sizeof metric.name, "%s", g->value[i].name);
        snprintf(metric.unit, sizeof metric.unit, "%s", g->value[i].unit);
        snprintf(metric.description, sizeof metric.description, "%s", g->value[i].description);
        member[i] = spur_def_metric_member(&metric);
    }
    return spur_def_metric_class(g->n, member, OTF2_METRIC_ASYNCHRONOUS,
                                 OTF2_RECORDER_KIND_ABSTRACT);
}

/* With the lock. */
static void write_values_here(void)
{
    const struct spur_gauge *g = started;
    uint64_t read[SPUR_GAUGE_VALUES];
    OTF2_MetricValue value[SPUR_GAUGE_VALUES];
    OTF2_Type type[SPUR_GAUGE_VALUES];
    if (!stream.is_opened)
        spur_metric_stream_open(&stream, g->location, define(g));
    if (!spur_metric_stream_begin(&stream))
        return;
    g->read(read);
    for (uint32_t i = 0; i < g->n; i++) {
        type[i] = OTF2_TYPE_UINT64;
        value[i].unsigned_int = read[i];
    }
    spur_metric_stream_put(&stream, (uint8_t)g->n, type, value);
    spur_metric_stream_end(&stream);
}
static void write_values(void);
SPUR_DOOR_VOID_ALONE(write_values)

static void write_locked(void)
{
    int saved = errno;
    spur_lock_take(&stream.lock);
    write_values();
    spur_lock_give(&stream.lock);
    errno = saved;
}

/* The rule of agent/sampling/sample.h; and nothing that the agent is at is continued by itself. */
static bool may_write(void)
{
    const struct spur_loc *loc = spur_self.loc;
    return started && spur_state_now() == SPUR_ON && !spur_locks_held && !spur_is_on_own_stack() &&
           !(loc && atomic_load_explicit(&loc->busy, memory_order_relaxed));
}

void spur_gauge_changed(void)
{
    int cancel;
    if (!may_write())
        return;
    spur_inside_begin();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    write_locked();
    pthread_setcancelstate(cancel, NULL);
    spur_inside_end();
}

void spur_gauge_start(const struct spur_gauge *gauge)
{
    started = gauge;
    spur_gauge_changed();
}

void spur_gauge_open(void)
{
    if (started && !stream.is_opened && spur_is_open())
        write_locked();
}

void spur_gauge_end(void)
{
    if (started)
        write_locked();
}

void spur_gauge_after_fork(void)
{
    spur_metric_stream_after_fork(&stream);
}
