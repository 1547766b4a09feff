/* SPDX-License-Identifier: BSD-3-Clause */
/* The metric "uptime:seconds": how long the machine has been running. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/metrics/metric_source.h"
#include "base/mem.h"

static void take_seconds(void *data, spur_metric_take *take)
{
    static const struct spur_metric metric = {.name = "uptime:seconds",
                                              .description = "since the machine was started",
                                              .unit = "s",
                                              .type = OTF2_METRIC_TYPE_OTHER,
                                              .mode = OTF2_METRIC_ABSOLUTE_POINT,
                                              .value = OTF2_TYPE_UINT64,
                                              .base = OTF2_BASE_DECIMAL};
    take(data, 0, &metric, SPUR_METRIC_WORKS, "");
}

static bool find(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    (void)is_process;
    bool is_known = strcmp(name, "seconds") == 0;
    if (is_known)
        take_seconds(data, take);
    return is_known;
}

static void list(bool is_judged, void *data, spur_metric_take *take)
{
    (void)is_judged;
    take_seconds(data, take);
}

static void *open_reader(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT])
{
    uint32_t *n = spur_mem_new(sizeof *n);
    if (n)
        *n = group->n;
    else
        snprintf(why, SPUR_METRIC_TEXT, "out of memory");
    return n;
}

static bool read_values(void *reader, uint64_t *values)
{
    struct timespec now;
    if (syscall(SYS_clock_gettime, CLOCK_BOOTTIME, &now) != 0)
        return false;
    for (uint32_t i = 0; i < *(uint32_t *)reader; i++)
        values[i] = (uint64_t)now.tv_sec;
    return true;
}

static void close_reader(void *reader, enum spur_metric_closer by)
{
    (void)by;
    spur_mem_free(reader, sizeof(uint32_t));
}

METRIC_SOURCE(uptime, .title = "clock_gettime", .prefix = "uptime:", .find = find, .list = list,
              .open = open_reader, .read = read_values, .close = close_reader)
