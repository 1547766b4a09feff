/* SPDX-License-Identifier: BSD-3-Clause */
/* Metrics "rusage:NAME". One system call reads them all, and it needs no rights and no descriptor.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/metrics/metric_source.h"
#include "base/mem.h"

enum scope { THREAD, PROCESS };

static const struct row {
    const char *name, *unit, *doc;
    enum scope scope;
    uint8_t mode, base;
    int8_t exponent;
} rows[] = {
#define RUSAGE(name, VALUE, MODE, unit, BASE, exponent, scope, doc)                                \
    {#name, unit, doc, scope, OTF2_METRIC_##MODE, OTF2_BASE_##BASE, exponent},
#include "agent/metrics/sources/metric_rusage.def"
#undef RUSAGE
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static const char per_process[] = "there is one value for the whole process: name it in "
                                  "SPUR_METRICS_ASYNC";

static uint64_t microseconds(const struct timeval *time)
{
    enum { IN_A_SECOND = 1000000 };
    return (uint64_t)time->tv_sec * IN_A_SECOND + (uint64_t)time->tv_usec;
}

static uint64_t value_of(const struct rusage *usage, uint64_t row)
{
    enum number {
#define RUSAGE(name, ...) ROW_##name,
#include "agent/metrics/sources/metric_rusage.def"
#undef RUSAGE
    };
    switch ((enum number)row) {
#define RUSAGE(name, VALUE, ...)                                                                   \
    case ROW_##name:                                                                               \
        return VALUE;
#include "agent/metrics/sources/metric_rusage.def"
#undef RUSAGE
    }
    return 0;
}

static void take_row(uint64_t number, bool is_process, void *data, spur_metric_take *take)
{
    const struct row *row = &rows[number];
    struct spur_metric metric = {.type = OTF2_METRIC_TYPE_RUSAGE,
                                 .mode = row->mode,
                                 .value = OTF2_TYPE_UINT64,
                                 .base = row->base,
                                 .exponent = row->exponent};
    snprintf(metric.name, sizeof metric.name, "rusage:%s", row->name);
    snprintf(metric.description, sizeof metric.description, "%s", row->doc);
    snprintf(metric.unit, sizeof metric.unit, "%s", row->unit);
    bool is_had = is_process || row->scope == THREAD;
    take(data, number, &metric, is_had ? SPUR_METRIC_WORKS : SPUR_METRIC_NOT_HERE,
         is_had ? "" : per_process);
}

static bool find(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    for (uint64_t i = 0; i < ROWS; i++)
        if (strcmp(name, rows[i].name) == 0) {
            take_row(i, is_process, data, take);
            return true;
        }
    return false;
}

static void list(bool is_judged, void *data, spur_metric_take *take)
{
    (void)is_judged;
    for (uint64_t i = 0; i < ROWS; i++)
        take_row(i, rows[i].scope == PROCESS, data, take);
}

/* Of one thread. What the kernel fills in lies here, not on the caller's stack. */
struct reader {
    struct spur_metric_group group;
    struct rusage usage;
};

static void *open_reader(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT])
{
    struct reader *reader = spur_mem_new(sizeof *reader);
    if (reader)
        reader->group = *group;
    else
        snprintf(why, SPUR_METRIC_TEXT, "out of memory");
    return reader;
}

static bool read_values(void *data, uint64_t *values)
{
    struct reader *reader = data;
    const struct spur_metric_group *group = &reader->group;
    struct rusage *usage = &reader->usage;
    if (syscall(SYS_getrusage, group->is_process ? RUSAGE_SELF : RUSAGE_THREAD, usage) != 0)
        return false;
    for (uint32_t i = 0; i < group->n; i++)
        values[i] = value_of(usage, group->id[i]);
    return true;
}

static void close_reader(void *reader, enum spur_metric_closer by)
{
    (void)by;
    spur_mem_free(reader, sizeof(struct reader));
}

METRIC_SOURCE(rusage, .title = "getrusage", .prefix = "rusage:", .find = find, .list = list,
              .open = open_reader, .read = read_values, .close = close_reader)
