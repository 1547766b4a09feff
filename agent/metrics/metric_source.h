/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where values of metrics come from: one table of functions per source (metric_sources.def). A
 * source knows its metrics by name, gives each a number of its own, and reads a group of them for
 * the calling thread, or for the whole process. Sources allocate nothing when they read and leave
 * errno alone; what else they do is up to cold paths, with the depth guard raised.
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
    SPUR_METRIC_NOT_HERE,  /* it exists, but not on this machine */
    SPUR_METRIC_NO_RIGHTS, /* it would fail, or read a silent zero, for lack of rights */
    SPUR_METRIC_NO_SOURCE, /* what it comes from is not there, so that nothing is known of it */
};

/* Called with a metric, the source's number of it, and if it does not work why, and the remedy. */
typedef void spur_metric_take(void *data, uint64_t id, const struct spur_metric *metric,
                              enum spur_metric_state state, const char *why);

/* Metrics of one source that are read together. */
struct spur_metric_group {
    bool is_process;     /* values of the whole process, not of a thread */
    bool is_multiplexed; /* counters may take turns, and are then scaled */
    uint32_t n;
    uint64_t id[SPUR_METRICS_MAX];
};

/* Who closes a reader: its thread, another one, or a child of fork(), which has copies of it. */
enum spur_metric_closer { SPUR_METRIC_BY_OWNER, SPUR_METRIC_BY_OTHER, SPUR_METRIC_BY_CHILD };

struct spur_metric_source {
    const char *title;  /* for lists */
    const char *prefix; /* of the names */
    /*
     * Call `take` for what `name`, without the prefix, stands for, which may be several. False:
     * there is no such thing.
     */
    bool (*find)(const char *name, bool is_process, void *data, spur_metric_take *take);
    /* Call `take` for all that there is. Not `is_judged`: whether it works is not looked at. */
    void (*list)(bool is_judged, void *data, spur_metric_take *take);
    /*
     * NULL, or: its metrics are of the host, and this names the part of the host that a metric is
     * of, such as a device, in a way that no other part has in the world. The metrics of a part
     * have a reader of their own, which one process of the host has at a time.
     */
    const char *(*part_of)(uint64_t id);
    /* A reader for the calling thread (or the process), agent memory; NULL: `why` says why not. */
    void *(*open)(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT]);
    /* The values in the order of the group, by the thread that opened it. False: none any more. */
    bool (*read)(void *reader, uint64_t *values);
    void (*close)(void *reader, enum spur_metric_closer by);
    /* In a child of fork(), before anything is opened there; may be NULL. */
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
 * METRIC_SOURCE(rusage, .title = ...), at the end of metric_rusage.c, defines a source. One source
 * has the prefix "" and takes every name that is no other one's.
 */
#define METRIC_SOURCE(name, ...)                                                                   \
    const struct spur_metric_source spur_metric_from_##name = {__VA_ARGS__};
#define SOURCE(name) extern const struct spur_metric_source spur_metric_from_##name;
#include "agent/metrics/metric_sources.def"
#undef SOURCE

/* The source that a name belongs to, and *rest behind its prefix. Never NULL. */
const struct spur_metric_source *spur_metric_source_of(const char *name, const char **rest,
                                                       uint32_t *number);

/* May this process count what happens in the kernel? Asked of the kernel once a process. */
bool spur_metric_sees_kernel(void);
/* Why not, and the remedy. */
void spur_metric_say_rights(char why[SPUR_METRIC_TEXT]);
/* Has the machine counters in hardware that the kernel knows of? */
bool spur_metric_has_hardware(void);
/* The words for a machine that has none. */
extern const char spur_metric_no_hardware[];

#endif
