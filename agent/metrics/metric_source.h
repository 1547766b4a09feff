/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sources of the values of metrics: one table of functions per source (metric_sources.def). A
 * source knows its metrics by name, gives each metric a number, and reads a group of metrics for
 * the calling thread, or for the whole process. A read allocates nothing and leaves errno alone.
 * All further work of a source belongs to cold paths, with the depth guard raised.
 */
#ifndef SPUR_METRIC_SOURCE_H
#define SPUR_METRIC_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/otf2.h>

#include "agent/definitions/metric_member.h"

enum { SPUR_METRICS_MAX = 64 /* of one class */ };

enum spur_metric_state {
    SPUR_METRIC_WORKS,
    SPUR_METRIC_NOT_HERE,  /* the metric exists, but not on this machine */
    SPUR_METRIC_NO_RIGHTS, /* the metric would fail, or read a silent zero, for lack of rights */
    SPUR_METRIC_NO_SOURCE, /* its origin is missing, so nothing is known of the metric */
};

/* Called with a metric and the source's number of the metric; for a metric that does not work also
 * with the reason and the remedy. */
typedef void spur_metric_take(void *data, uint64_t id, const struct spur_metric *metric,
                              enum spur_metric_state state, const char *why);

/* Metrics of one source that are read together. */
struct spur_metric_group {
    bool is_process;     /* values of the whole process, not of a thread */
    bool is_multiplexed; /* counters may take turns, and are then scaled */
    uint32_t n;
    uint64_t id[SPUR_METRICS_MAX];
};

/* The closer of a reader: the thread of the reader, another thread, or a child of fork() with a
 * copy of the reader. */
enum spur_metric_closer { SPUR_METRIC_BY_OWNER, SPUR_METRIC_BY_OTHER, SPUR_METRIC_BY_CHILD };

struct spur_metric_source {
    const char *title;  /* for lists */
    const char *prefix; /* of the names */
    /*
     * Call `take` for each metric for which `name`, without the prefix, stands: possibly several.
     * False: no metric has the name.
     */
    bool (*find)(const char *name, bool is_process, void *data, spur_metric_take *take);
    /* Call `take` for all metrics of the source. Not `is_judged`: without a test whether each
     * works. */
    void (*list)(bool is_judged, void *data, spur_metric_take *take);
    /*
     * NULL, or: the metrics of the source belong to the host. The function names the part of the
     * host to which a metric belongs, such as a device. No other part in the world has the same
     * name. The metrics of a part have a reader of their own, held by one process of the host at a
     * time.
     */
    const char *(*part_of)(uint64_t id);
    /* A reader for the calling thread (or the process), agent memory; NULL: `why` tells the
     * reason. */
    void *(*open)(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT]);
    /* The values in the order of the group, by the thread of open(). False: no values any more. */
    bool (*read)(void *reader, uint64_t *values);
    void (*close)(void *reader, enum spur_metric_closer by);
    /* In a child of fork(), before the child opens a reader; may be NULL. */
    void (*after_fork)(void);
};

enum spur_metric_source_number {
#define SOURCE(name) SPUR_METRIC_SOURCE_##name,
#include "agent/metrics/metric_sources.def"
#undef SOURCE
    SPUR_METRIC_SOURCES
};

extern const struct spur_metric_source *const spur_metric_sources[SPUR_METRIC_SOURCES];

/*
 * METRIC_SOURCE(rusage, .title = ...), at the end of metric_rusage.c, defines a source. The source
 * with the prefix "" takes every name without the prefix of another source.
 */
#define METRIC_SOURCE(name, ...)                                                                   \
    const struct spur_metric_source spur_metric_from_##name = {__VA_ARGS__};
#define SOURCE(name) extern const struct spur_metric_source spur_metric_from_##name;
#include "agent/metrics/metric_sources.def"
#undef SOURCE

/* The source to which a name belongs, and *rest behind the prefix. Never NULL. */
const struct spur_metric_source *spur_metric_source_of(const char *name, const char **rest,
                                                       uint32_t *number);

/* May this process count events in the kernel? Asked of the kernel once a process. */
bool spur_metric_sees_kernel(void);
/* The reason for missing rights, and the remedy. */
void spur_metric_say_rights(char why[SPUR_METRIC_TEXT]);
/* Has the machine counters in hardware, known to the kernel? */
bool spur_metric_has_hardware(void);
/* The words for a machine without hardware counters. */
extern const char spur_metric_no_hardware[];

#endif
