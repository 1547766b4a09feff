/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics for spur: what a user would write. "calls" counts how often a thread's values were read,
 * "half" is half of that, "level" goes up and down.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include <spur/metric.h>

enum { CALLS, HALF, LEVEL, METRICS };

static const struct spur_metric_info metrics[METRICS] = {
    [CALLS] = {"calls", "Readings so far", "#", SPUR_METRIC_UINT64, SPUR_METRIC_COUNTER, 0},
    [HALF] = {"half", "Half of the readings", NULL, SPUR_METRIC_DOUBLE, SPUR_METRIC_COUNTER, 0},
    [LEVEL] = {"level", NULL, "B", SPUR_METRIC_INT64, SPUR_METRIC_GAUGE, 3},
};

static int init(void)
{
    const char *trouble = getenv("METRIC_PLUGIN_TROUBLE");
    return trouble ? atoi(trouble) : 0;
}

static uint32_t count(void)
{
    return METRICS;
}

static const struct spur_metric_info *info(uint32_t metric)
{
    return &metrics[metric];
}

static void *open_thread(int is_process)
{
    (void)is_process;
    return calloc(1, sizeof(uint64_t));
}

static int read_values(void *opened, uint32_t n, const uint32_t *metric,
                       union spur_metric_bits *value)
{
    uint64_t *calls = opened;
    if (getenv("METRIC_PLUGIN_NO_VALUES"))
        return ENODATA;
    ++*calls;
    for (uint32_t i = 0; i < n; i++)
        switch (metric[i]) {
        case CALLS:
            value[i].uint64 = *calls;
            break;
        case HALF:
            value[i].number = (double)*calls / 2;
            break;
        default:
            value[i].int64 = *calls % 2 ? -5 : 5;
        }
    return 0;
}

static const struct spur_metric_functions functions = {
    .version = SPUR_METRIC_VERSION,
    .size = sizeof functions,
    .init = init,
    .count = count,
    .info = info,
    .open = open_thread,
    .read = read_values,
    .close = free,
};

const struct spur_metric_functions *spur_metric_plugin(void)
{
    return &functions;
}
