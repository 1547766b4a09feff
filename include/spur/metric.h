/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Your own metrics for spur: a shared object that spur opens if a setting names it:
 *
 *     SPUR_METRICS=plugin:./libmine.so spur ./app          read at the events of each thread
 *     SPUR_METRICS_ASYNC=plugin:./libmine.so spur ./app    read periodically for the process
 *
 * "plugin:./libmine.so" means all its metrics, "plugin:./libmine.so#NAME" one of them. The object
 * needs only this header, and links with nothing of spur:
 *
 *     cc -shared -fPIC -o libmine.so mine.c
 *
 * The object defines one function, spur_metric_plugin(), which returns a table of functions. spur
 * calls them in the traced program, at any of its events. So they must not block, exit or print,
 * and must not call functions that spur traces. read() must not allocate memory. It may change
 * errno.
 */
#ifndef SPUR_METRIC_H
#define SPUR_METRIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define SPUR_METRIC_VERSION 1

/* The type of the 64 bits of a value. */
enum spur_metric_value { SPUR_METRIC_INT64 = 0, SPUR_METRIC_UINT64 = 1, SPUR_METRIC_DOUBLE = 2 };

/* What a value means. */
enum spur_metric_kind {
    SPUR_METRIC_COUNTER = 0, /* only grows: the sum since some time before the first reading */
    SPUR_METRIC_GAUGE = 1,   /* the value at the time of the reading */
    SPUR_METRIC_INCREASE = 2 /* the increase since the last reading */
};

/* One metric. Texts end with a zero and live as long as the object. */
struct spur_metric_info {
    const char *name;        /* as in plugin:FILE#NAME */
    const char *description; /* may be NULL */
    const char *unit; /* of value * 10^exponent: "s", "J", "B"; NULL or "#": a plain number */
    int32_t value;    /* enum spur_metric_value */
    int32_t kind;     /* enum spur_metric_kind */
    int32_t exponent; /* scales the value, see unit */
};

/* The 64 bits of a value. The type is in spur_metric_info. */
union spur_metric_bits {
    int64_t int64;
    uint64_t uint64;
    double number;
};

/*
 * The object's functions. Later versions of this struct add members at the end. spur calls no
 * member beyond `size`.
 */
struct spur_metric_functions {
    uint32_t version; /* SPUR_METRIC_VERSION */
    uint32_t size;    /* the size of this struct when the object was compiled */
    /*
     * Called once in a process, before all others, and again in a child of fork(). Returns 0 or an
     * errno. spur reports the errno as the reason for missing values. May be NULL.
     */
    int (*init)(void);
    /* Returns the number of metrics, at most 64. */
    uint32_t (*count)(void);
    /* Returns one metric, counted from 0. */
    const struct spur_metric_info *(*info)(uint32_t metric);
    /*
     * Called when recording of the calling thread begins, or, with `is_process`, recording of the
     * process, whose values any thread may read, one at a time. Returns the argument of read() and
     * close(); NULL means failure. May be NULL: then read() and close() get NULL.
     */
    void *(*open)(int is_process);
    /*
     * Stores the values of the `n` metrics in `metric`. Returns 0 or an errno. After an errno spur
     * reads no more values.
     */
    int (*read)(void *opened, uint32_t n, const uint32_t *metric, union spur_metric_bits *value);
    /*
     * Called by the thread itself at its end, but not if the process ends first. May be NULL.
     */
    void (*close)(void *opened);
};

/* The object must define this function and export it. */
const struct spur_metric_functions *spur_metric_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
