/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SPUR_METRICS_ASYNC: metrics of the process, on a location of their own. There is no helper
 * thread: the first thread that records an event after the period reads the values and writes them
 * to that location, under its lock. So a process that records nothing has no values either.
 */
#include <errno.h>
#include <time.h>

#include "agent/definitions/definitions.h"
#include "agent/metrics/metric_run.h"
#include "agent/metrics/metric_stream.h"
#include "base/own_stack.h"

static struct {
    struct spur_metric_choice *choice; /* NULL: none */
    struct spur_metric_readers readers;
    bool has_readers;
    struct spur_metric_stream stream;
    OTF2_MetricRef class;
    OTF2_Type type[SPUR_METRICS_MAX];
    _Atomic uint64_t next_ms; /* when they are read again */
} async = {.class = OTF2_UNDEFINED_METRIC};

uint64_t spur_metric_now_ms(void)
{
    enum { MS_IN_A_SECOND = 1000, NS_IN_A_MS = 1000000 };
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * MS_IN_A_SECOND + (uint64_t)now.tv_nsec / NS_IN_A_MS;
}

/* Counters that are inherited by threads begin with the first thread. */
void spur_metric_async_start(const char *list)
{
    char why[SPUR_METRIC_TEXT];
    async.choice =
        list ? spur_metric_choose("SPUR_METRICS_ASYNC", list, SPUR_METRICS_OF_PROCESS) : NULL;
    if (async.choice && async.choice->n)
        async.has_readers = spur_metric_open_readers(async.choice, &async.readers, why);
}

const struct spur_metric_choice *spur_metric_async_choice(void)
{
    return async.choice;
}

void spur_metric_async_define(void)
{
    char why[SPUR_METRIC_TEXT];
    if (!async.choice || !async.choice->n)
        return;
    if (!async.has_readers) /* in a child of fork() */
        async.has_readers = spur_metric_open_readers(async.choice, &async.readers, why);
    if (!async.has_readers)
        return;
    async.class = spur_metric_define_class(async.choice, OTF2_METRIC_ASYNCHRONOUS,
                                           OTF2_RECORDER_KIND_ABSTRACT);
    spur_metric_types(async.choice, async.type);
}

/* With the lock. */
static void write_values_here(void)
{
    static OTF2_MetricValue value[SPUR_METRICS_MAX];
    if (!spur_metric_stream_begin(&async.stream))
        return;
    if (spur_metric_read_all(async.choice, &async.readers, value))
        spur_metric_stream_put(&async.stream, NULL, (uint8_t)async.choice->n, async.type, value);
    spur_metric_stream_end(&async.stream);
}
static void write_values(void);
SPUR_DOOR_VOID_ALONE(write_values)

void spur_metric_async_open(void)
{
    if (async.class == OTF2_UNDEFINED_METRIC)
        return;
    spur_lock_take(&async.stream.lock);
    if (!async.stream.is_opened) {
        if (spur_metric_stream_open(&async.stream, "Metrics of the process"))
            async.stream.instance =
                spur_metric_stream_instance(&async.stream, async.class, OTF2_SCOPE_LOCATION_GROUP);
        write_values();
        atomic_store(&async.next_ms, spur_metric_now_ms() + async.choice->period_ms);
    }
    spur_lock_give(&async.stream.lock);
}

void spur_metric_async_poll(void)
{
    if (!async.stream.loc)
        return;
    uint64_t next = atomic_load_explicit(&async.next_ms, memory_order_relaxed);
    uint64_t now = spur_metric_now_ms();
    if (now < next ||
        !atomic_compare_exchange_strong(&async.next_ms, &next, now + async.choice->period_ms))
        return;
    spur_lock_take(&async.stream.lock);
    write_values();
    spur_lock_give(&async.stream.lock);
}

void spur_metric_async_end(void)
{
    if (!async.stream.loc)
        return;
    spur_lock_take(&async.stream.lock);
    write_values();
    spur_lock_give(&async.stream.lock);
}

void spur_metric_async_after_fork(void)
{
    spur_metric_stream_after_fork(&async.stream);
    if (async.has_readers)
        spur_metric_close_readers(&async.readers, SPUR_METRIC_BY_CHILD);
    async.has_readers = false;
    async.class = OTF2_UNDEFINED_METRIC;
}
