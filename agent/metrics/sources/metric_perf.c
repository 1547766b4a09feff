/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics "perf:NAME": the list of metrics, and the test for working metrics.
 * agent/metrics/sources/metric_perf_read.c opens and reads the metrics.
 */
#include "agent/metrics/sources/metric_perf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/procfs.h"
#include "base/system_words.h"

enum { KERNEL = 1, ANYWHERE = 0 };

static const struct row {
    const char *name, *unit, *doc;
    uint32_t type, config;
    int8_t exponent;
    bool is_of_kernel;
} rows[] = {
#define PERF(name, TYPE, CONFIG, unit, exponent, place, doc)                                       \
    {name, unit, doc, PERF_TYPE_##TYPE, PERF_COUNT_##CONFIG, exponent, place},
#include "agent/metrics/sources/metric_perf.def"
};

static const struct cache {
    const char *name, *doc;
    uint32_t config;
} caches[] = {
#define PERF_CACHE(CACHE, name, doc) {name, doc, PERF_COUNT_HW_CACHE_##CACHE},
#include "agent/metrics/sources/metric_perf.def"
};

static const struct operation {
    const char *many, *one, *doc;
    uint32_t config;
} operations[] = {
#define PERF_OPERATION(OP, many, one, doc) {many, one, doc, PERF_COUNT_HW_CACHE_OP_##OP},
#include "agent/metrics/sources/metric_perf.def"
};

enum {
    ROWS = sizeof rows / sizeof rows[0],
    CACHES = sizeof caches / sizeof caches[0],
    OPERATIONS = sizeof operations / sizeof operations[0],
    TYPE_SHIFT = 60,
    RAW_BITS = 56,
};

/* ---- numbers: type and config of perf_event_attr ---- */

static uint64_t number_of(uint32_t type, uint64_t config)
{
    return (uint64_t)type << TYPE_SHIFT | config;
}

uint32_t spur_perf_type(uint64_t id)
{
    return (uint32_t)(id >> TYPE_SHIFT);
}

void spur_perf_attr(uint64_t id, struct perf_event_attr *attr)
{
    memset(attr, 0, sizeof *attr);
    attr->size = sizeof *attr;
    attr->type = spur_perf_type(id);
    attr->config = id & ~SPUR_PERF_FLAGS & (((uint64_t)1 << TYPE_SHIFT) - 1);
    attr->exclude_user = (id & SPUR_PERF_NO_USER) != 0;
    attr->exclude_kernel = (id & SPUR_PERF_NO_KERNEL) != 0;
    attr->exclude_hv = 1;
}

static int open_event(const struct perf_event_attr *attr)
{
    int saved = errno;
    long fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int result = fd < 0 ? -errno : (int)fd;
    errno = saved;
    return result;
}

static int try_event(uint64_t id)
{
    struct perf_event_attr attr;
    spur_perf_attr(id, &attr);
    int fd = open_event(&attr);
    if (fd >= 0)
        syscall(SYS_close, fd);
    return fd < 0 ? fd : 0;
}

/* ---- rights ---- */

static bool is_refusal(int err)
{
    return err == -EACCES || err == -EPERM;
}

bool spur_metric_sees_kernel(void)
{
    static _Atomic int answer; /* 1: no, 2: yes */
    if (!answer)
        answer =
            try_event(number_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES)) == 0 ? 2 : 1;
    return answer == 2;
}

static long paranoid_level(void)
{
    char text[32];
    return spur_procfs_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof text) > 0
               ? strtol(text, NULL, 10)
               : -1;
}

void spur_metric_say_rights(char why[SPUR_METRIC_TEXT])
{
    enum { USERS_COUNT_THEMSELVES = 2, USERS_SEE_KERNEL = 1 };
    long level = paranoid_level();
    if (level <= USERS_SEE_KERNEL)
        snprintf(why, SPUR_METRIC_TEXT,
                 "perf_event_open(2) is forbidden here, by the container's seccomp profile, say; "
                 "allow it there (Docker: --cap-add PERFMON), or take a metric rusage:NAME");
    else
        snprintf(why, SPUR_METRIC_TEXT,
                 "kernel.perf_event_paranoid is %ld and CAP_PERFMON is not held; as root, 'sysctl "
                 "kernel.perf_event_paranoid=1', or take a metric rusage:NAME",
                 level);
}

/* ---- hardware ---- */

const char spur_metric_no_hardware[] =
    "the processor shows no counters, as in a virtual machine without a PMU; run on the hardware, "
    "or switch the PMU of the virtual machine on";

/*
 * Is there a PMU of processors? The kernel calls the PMU "cpu", or by a name beginning with "cpu".
 */
bool spur_metric_has_hardware(void)
{
    static const char *const names[] = {"cpu", "cpu_core", "cpu_atom", "armv8_pmuv3",
                                        "armv8_pmuv3_0"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "/sys/bus/event_source/devices/%s", names[i]);
        if (syscall(SYS_faccessat, AT_FDCWD, path, F_OK) == 0)
            return true;
    }
    return false;
}

/* ---- working metrics ---- */

/* *id is changed to an event that may be counted. */
static enum spur_metric_state judge(uint64_t *id, bool is_of_kernel, bool *is_user_only,
                                    char why[SPUR_METRIC_TEXT])
{
    int err = try_event(*id);
    *is_user_only = false;
    if (is_refusal(err) && !(*id & SPUR_PERF_FLAGS)) {
        err = try_event(*id | SPUR_PERF_NO_KERNEL);
        if (!err && !is_of_kernel) {
            *id |= SPUR_PERF_NO_KERNEL;
            *is_user_only = true;
            return SPUR_METRIC_WORKS;
        }
        err = err ? err : -EACCES; /* the value would always be 0 */
    }
    if (!err)
        return SPUR_METRIC_WORKS;
    if (is_refusal(err)) {
        spur_metric_say_rights(why);
        return SPUR_METRIC_NO_RIGHTS;
    }
    if (err == -ENOSYS)
        snprintf(why, SPUR_METRIC_TEXT, "the kernel has no perf_event_open(2)");
    else if (err == -EMFILE || err == -ENFILE)
        snprintf(why, SPUR_METRIC_TEXT, "no file descriptor is left; raise 'ulimit -n'");
    else if (spur_perf_type(*id) != PERF_TYPE_SOFTWARE && !spur_metric_has_hardware())
        snprintf(why, SPUR_METRIC_TEXT, "%s", spur_metric_no_hardware);
    else
        snprintf(why, SPUR_METRIC_TEXT, "this processor cannot count it (%s)",
                 spur_error_text(-err));
    return SPUR_METRIC_NOT_HERE;
}

struct asking {
    const char *modifier; /* ":u" and the like, or "" */
    uint64_t flags;
    bool is_unjudged;
    void *data;
    spur_metric_take *take;
};

static void take_event(const struct asking *asking, const char *name, uint64_t id,
                       bool is_of_kernel, struct spur_metric *metric)
{
    char why[SPUR_METRIC_TEXT] = "";
    bool is_user_only = false;
    uint64_t chosen = id | asking->flags;
    enum spur_metric_state state =
        asking->is_unjudged ? SPUR_METRIC_WORKS : judge(&chosen, is_of_kernel, &is_user_only, why);
    snprintf(metric->name, sizeof metric->name, "perf:%s%s", name, asking->modifier);
    if (is_user_only) {
        size_t used = strlen(metric->description);
        snprintf(metric->description + used, sizeof metric->description - used,
                 " (in user mode only: the kernel is not shown to this user)");
    }
    metric->type = OTF2_METRIC_TYPE_OTHER;
    metric->mode = OTF2_METRIC_ACCUMULATED_START;
    metric->value = OTF2_TYPE_UINT64;
    metric->base = OTF2_BASE_DECIMAL;
    asking->take(asking->data, chosen, metric, state, why);
}

static void take_row(const struct asking *asking, const struct row *row)
{
    struct spur_metric metric = {.exponent = row->exponent};
    snprintf(metric.description, sizeof metric.description, "%s", row->doc);
    snprintf(metric.unit, sizeof metric.unit, "%s", row->unit);
    take_event(asking, row->name, number_of(row->type, row->config), row->is_of_kernel, &metric);
}

/* "L1-dcache-loads", "L1-dcache-load-misses" */
static void name_cache(char *name, size_t size, const struct cache *cache,
                       const struct operation *operation, bool is_miss)
{
    snprintf(name, size, "%s-%s%s", cache->name, is_miss ? operation->one : operation->many,
             is_miss ? "-misses" : "");
}

static void take_cache(const struct asking *asking, const struct cache *cache,
                       const struct operation *operation, bool is_miss)
{
    enum { OPERATION_SHIFT = 8, RESULT_SHIFT = 16 };
    char name[SPUR_METRIC_NAME / 2];
    struct spur_metric metric = {.unit = "#"};
    name_cache(name, sizeof name, cache, operation, is_miss);
    snprintf(metric.description, sizeof metric.description, "%s: %s%s", cache->doc, operation->doc,
             is_miss ? " that missed" : "");
    uint64_t config = cache->config | (uint64_t)operation->config << OPERATION_SHIFT |
                      (uint64_t)is_miss << RESULT_SHIFT;
    take_event(asking, name, number_of(PERF_TYPE_HW_CACHE, config), false, &metric);
}

static bool find_cache(const struct asking *asking, const char *name)
{
    char other[SPUR_METRIC_NAME / 2];
    for (int i = 0; i < CACHES * OPERATIONS * 2; i++) {
        const struct cache *cache = &caches[i / (OPERATIONS * 2)];
        const struct operation *operation = &operations[i / 2 % OPERATIONS];
        name_cache(other, sizeof other, cache, operation, i % 2);
        if (strcasecmp(name, other) == 0) {
            take_cache(asking, cache, operation, i % 2);
            return true;
        }
    }
    return false;
}

/* "r01c0": the processor's own number of an event. */
static bool find_raw(const struct asking *asking, const char *name)
{
    char *end;
    if (name[0] != 'r' || !name[1] || strspn(name + 1, "0123456789abcdefABCDEF") < strlen(name) - 1)
        return false;
    uint64_t config = strtoull(name + 1, &end, 16);
    struct spur_metric metric = {.unit = "#"};
    if (config >> RAW_BITS)
        return false;
    snprintf(metric.description, sizeof metric.description, "Event 0x%llx of the processor",
             (unsigned long long)config);
    take_event(asking, name, number_of(PERF_TYPE_RAW, config), false, &metric);
    return true;
}

/* Cuts ":u", ":k" or ":uk" off. */
static bool take_modifier(char *name, struct asking *asking)
{
    static const struct {
        const char *text;
        uint64_t flags;
    } modifiers[] = {{":u", SPUR_PERF_NO_KERNEL}, {":k", SPUR_PERF_NO_USER}, {":uk", 0}};
    char *colon = strchr(name, ':');
    asking->modifier = "";
    if (!colon)
        return true;
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++)
        if (strcmp(colon, modifiers[i].text) == 0) {
            asking->modifier = modifiers[i].text;
            asking->flags = modifiers[i].flags;
            *colon = '\0';
            return true;
        }
    return false;
}

static bool find(const char *text, bool is_process, void *data, spur_metric_take *take)
{
    char name[SPUR_METRIC_NAME];
    struct asking asking = {.data = data, .take = take};
    (void)is_process;
    if (strlen(text) >= sizeof name)
        return false;
    memcpy(name, text, strlen(text) + 1);
    if (!take_modifier(name, &asking))
        return false;
    for (int i = 0; i < ROWS; i++)
        if (strcmp(name, rows[i].name) == 0) {
            take_row(&asking, &rows[i]);
            return true;
        }
    return find_cache(&asking, name) || find_raw(&asking, name);
}

static void list(bool is_judged, void *data, spur_metric_take *take)
{
    const struct asking asking = {.modifier = "",
                                  .is_unjudged = !is_judged,
                                  .data = data,
                                  .take = take};
    for (int i = 0; i < ROWS; i++)
        take_row(&asking, &rows[i]);
    for (int i = 0; i < CACHES * OPERATIONS * 2; i++)
        take_cache(&asking, &caches[i / (OPERATIONS * 2)], &operations[i / 2 % OPERATIONS], i % 2);
}

METRIC_SOURCE(perf, .title = "perf_event_open", .prefix = "perf:", .find = find, .list = list,
              .open = spur_perf_open, .read = spur_perf_read, .close = spur_perf_close)
