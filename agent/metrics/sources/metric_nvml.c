/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics "nvml:NAME" of every NVIDIA GPU visible to the process, or "nvml:NAME:INDEX" of a single
 * GPU. The metrics are of the host: one process of the host reads the values for all processes.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/metrics/sources/metric_nvml.h"
#include "base/mem.h"
#include "base/own_stack.h"

static const struct row {
    const char *name, *unit, *doc;
    uint8_t mode, base;
    int8_t exponent;
} rows[] = {
#define NVML(name, how, argument, MODE, unit, BASE, exponent, doc)                                 \
    {#name, unit, doc, OTF2_METRIC_##MODE, OTF2_BASE_##BASE, exponent},
#include "agent/metrics/sources/metric_nvml.def"
};

enum { ROWS = sizeof rows / sizeof rows[0], GPU_SHIFT = 32 };

static const char of_host[] = "its values are those of a GPU, not of a thread: name it in "
                              "SPUR_METRICS_ASYNC";

/* ---- names ---- */

/* `gpu` NULL: of any GPU. */
static struct spur_metric metric_of(uint32_t row, const struct spur_nvml_gpu *gpu)
{
    struct spur_metric metric = {.type = OTF2_METRIC_TYPE_OTHER,
                                 .mode = rows[row].mode,
                                 .value = OTF2_TYPE_UINT64,
                                 .base = rows[row].base,
                                 .exponent = rows[row].exponent};
    snprintf(metric.unit, sizeof metric.unit, "%s", rows[row].unit);
    if (gpu) {
        snprintf(metric.name, sizeof metric.name, "nvml:%s:%u", rows[row].name, gpu->index);
        snprintf(metric.description, sizeof metric.description, "%s (GPU %u, %s)", rows[row].doc,
                 gpu->index, gpu->name);
    } else {
        snprintf(metric.name, sizeof metric.name, "nvml:%s", rows[row].name);
        snprintf(metric.description, sizeof metric.description, "%s", rows[row].doc);
    }
    return metric;
}

static void take_row(uint32_t row, void *data, spur_metric_take *take, enum spur_metric_state state,
                     const char *why)
{
    struct spur_metric metric = metric_of(row, NULL);
    take(data, row, &metric, state, why);
}

/*
 * Tests a metric: the value is read once, to see whether this GPU and this driver have the metric.
 */
static void take_gpu(const struct spur_nvml *nvml, uint32_t number, uint32_t row, void *data,
                     spur_metric_take *take)
{
    const struct spur_nvml_gpu *gpu = &spur_nvml_gpus()->gpu[number];
    struct spur_metric metric = metric_of(row, gpu);
    char why[SPUR_METRIC_TEXT] = "";
    uint64_t value;
    bool is_short;
    int error = spur_nvml_read(nvml, gpu->device, row, &value, &is_short);
    if (error != NVML_OK)
        snprintf(why, sizeof why, "NVML says of GPU %u: %s", gpu->index,
                 nvml->nvmlErrorString(error));
    take(data, (uint64_t)number << GPU_SHIFT | row, &metric,
         error == NVML_OK          ? SPUR_METRIC_WORKS
         : error == NVML_NO_RIGHTS ? SPUR_METRIC_NO_RIGHTS
                                   : SPUR_METRIC_NOT_HERE,
         why);
}

/* The row of `name`: "power", or "power:1" with *index; -1: of all GPUs. ROWS: unknown metric. */
static uint32_t row_of(const char *name, long *index)
{
    size_t length = strcspn(name, ":");
    char *end = NULL;
    *index = -1;
    if (name[length] == ':') {
        const char *digits = name + length + 1;
        *index = strtol(digits, &end, 10);
        if (end == digits || *end || *index < 0)
            return ROWS;
    }
    for (uint32_t i = 0; i < ROWS; i++)
        if (strlen(rows[i].name) == length && memcmp(name, rows[i].name, length) == 0)
            return i;
    return ROWS;
}

static void take_gpus(const struct spur_nvml *nvml, uint32_t row, long index, void *data,
                      spur_metric_take *take)
{
    const struct spur_nvml_gpus *gpus = spur_nvml_gpus();
    char why[SPUR_METRIC_TEXT];
    bool is_found = false;
    for (uint32_t i = 0; i < gpus->n; i++) {
        if (!gpus->gpu[i].is_visible || (index >= 0 && gpus->gpu[i].index != (unsigned long)index))
            continue;
        take_gpu(nvml, i, row, data, take);
        is_found = true;
    }
    snprintf(why, sizeof why, "the process sees no GPU %ld", index);
    if (!is_found)
        take_row(row, data, take, SPUR_METRIC_NOT_HERE, why);
}

static bool find(const char *name, bool is_process, void *data, spur_metric_take *take)
{
    char why[SPUR_METRIC_TEXT];
    long index;
    uint32_t row = row_of(name, &index);
    enum spur_metric_state state;
    if (row == ROWS)
        return false;
    if (!is_process) {
        take_row(row, data, take, SPUR_METRIC_NOT_HERE, of_host);
        return true;
    }
    spur_nvml_begin();
    const struct spur_nvml *nvml = spur_nvml_get(why, &state);
    if (nvml)
        take_gpus(nvml, row, index, data, take);
    else
        take_row(row, data, take, state, why);
    spur_nvml_end();
    return true;
}

static void list(bool is_judged, void *data, spur_metric_take *take)
{
    char why[SPUR_METRIC_TEXT] = "";
    enum spur_metric_state state = SPUR_METRIC_WORKS;
    const struct spur_nvml *nvml = is_judged ? spur_nvml_get(why, &state) : NULL;
    for (uint32_t row = 0; row < ROWS; row++)
        if (nvml)
            take_gpus(nvml, row, -1, data, take);
        else
            take_row(row, data, take, is_judged ? state : SPUR_METRIC_WORKS, why);
}

static const char *part_of(uint64_t id)
{
    return spur_nvml_gpus()->gpu[id >> GPU_SHIFT].uuid;
}

/* ---- readers ---- */

struct reader {
    const struct spur_nvml *nvml;
    struct spur_metric_group group;
    uint64_t last[SPUR_METRICS_MAX]; /* last value of counters, as given by NVML */
    uint64_t sum[SPUR_METRICS_MAX];  /* increase since the reader was opened */
};

/* False: NVML gives no value now. A later read may get a value. */
static bool read_one(struct reader *reader, uint32_t i, uint64_t *value)
{
    uint64_t id = reader->group.id[i];
    const struct spur_nvml_gpu *gpu = &spur_nvml_gpus()->gpu[id >> GPU_SHIFT];
    uint64_t now;
    bool is_short;
    if (spur_nvml_read(reader->nvml, gpu->device, (uint32_t)id, &now, &is_short) != NVML_OK)
        return false;
    if (rows[(uint32_t)id].mode != OTF2_METRIC_ACCUMULATED_START) {
        *value = now;
        return true;
    }
    uint64_t more = is_short                 ? (uint32_t)(now - reader->last[i])
                    : now >= reader->last[i] ? now - reader->last[i]
                                             : 0; /* the driver was loaded anew */
    reader->last[i] = now;
    *value = reader->sum[i] += more;
    return true;
}

static bool read_values_here(void *data, uint64_t *values)
{
    struct reader *reader = data;
    int cancel;
    bool is_read = spur_nvml_is_open();
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    for (uint32_t i = 0; i < reader->group.n && is_read; i++)
        is_read = read_one(reader, i, &values[i]);
    pthread_setcancelstate(cancel, NULL);
    return is_read;
}
static bool read_values(void *data, uint64_t *values);
/* NOLINTNEXTLINE(readability-non-const-parameter): as the contract is */
SPUR_DOOR(bool, read_values, (void *, data), (uint64_t *, values))

static void *open_reader(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT])
{
    uint64_t value;
    enum spur_metric_state state;
    const struct spur_nvml *nvml = spur_nvml_get(why, &state);
    struct reader *reader = nvml ? spur_mem_new(sizeof *reader) : NULL;
    if (!reader)
        return NULL;
    reader->nvml = nvml;
    reader->group = *group;
    for (uint32_t i = 0; i < group->n; i++)
        (void)read_one(reader, i, &value);
    memset(reader->sum, 0, sizeof reader->sum); /* counting starts here */
    return reader;
}

static void close_reader(void *reader, enum spur_metric_closer by)
{
    (void)by; /* NVML stays: NVML knows nothing of readers */
    spur_mem_free(reader, sizeof(struct reader));
}

METRIC_SOURCE(nvml, .title = "GPUs of NVIDIA", .prefix = "nvml:", .find = find, .list = list,
              .part_of = part_of, .open = open_reader, .read = read_values, .close = close_reader)
