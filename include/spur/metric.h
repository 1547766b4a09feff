/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics of your own for spur: a shared object that spur opens when it is named in its settings,
 *
 *     SPUR_METRICS=plugin:./libmine.so spur ./app          read at the events of each thread
 *     SPUR_METRICS_ASYNC=plugin:./libmine.so spur ./app    read now and then for the process
 *
 * "plugin:./libmine.so" stands for all of its metrics, "plugin:./libmine.so#NAME" for one of them.
 * The object needs nothing but this header, and is linked with nothing of spur:
 *
 *     cc -shared -fPIC -o libmine.so mine.c
 *
 * It defines one function, spur_metric_plugin(), and returns a table of functions. They are called
 * within the traced program, at any of its events: they must neither block, nor exit, nor print,
 * nor call what is traced; read() must not allocate memory, and needs not keep errno.
 */
#ifndef SPUR_METRIC_H
#define SPUR_METRIC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPUR_METRIC_VERSION 1

/* What the 64 bits of a value are. */
enum spur_metric_value { SPUR_METRIC_INT64 = 0, SPUR_METRIC_UINT64 = 1, SPUR_METRIC_DOUBLE = 2 };

/* What a value means. */
enum spur_metric_kind {
    SPUR_METRIC_COUNTER = 0, /* it only grows: the sum since some time before the first reading */
    SPUR_METRIC_GAUGE = 1,   /* it is what it is at the time it is read */
    SPUR_METRIC_INCREASE = 2 /* what has been added since it was last read */
};

/* One metric. Texts end with a zero and live as long as the object. */
struct spur_metric_info {
    const char *name;
    const char *description; /* may be NULL */
    const char *unit;        /* of value * 10^exponent: "s", "J", "B"; NULL or "#": a mere number */
    int32_t value;           /* enum spur_metric_value */
    int32_t kind;            /* enum spur_metric_kind */
    int32_t exponent;
};

/* Doubles travel by their bits. */
union spur_metric_bits {
    int64_t int64;
    uint64_t uint64;
    double number;
};

/*
 * The object's functions. `version` is SPUR_METRIC_VERSION and `size` the size of this struct as it
 * was compiled; later versions add members at the end, and spur calls none beyond `size`.
 */
struct spur_metric_functions {
    uint32_t version;
    uint32_t size;
    /*
     * Once in a process, before anything else, and again in a child of fork(). 0, or an errno, by
     * which spur says why there is nothing. May be NULL.
     */
    int (*init)(void);
    /* How many metrics there are, at most 64, and each of them, counted from 0. */
    uint32_t (*count)(void);
    const struct spur_metric_info *(*info)(uint32_t metric);
    /*
     * The calling thread begins to be recorded; or, with `is_process`, the process, whose values
     * may be read by any of its threads, one at a time. Returns what read() and close() get; NULL
     * means that it cannot be. May be NULL: they get NULL.
     */
    void *(*open)(int is_process);
    /* The values of the `n` metrics in `metric`. 0, or an errno: they are read no more. */
    int (*read)(void *opened, uint32_t n, const uint32_t *metric, union spur_metric_bits *value);
    /* By the thread itself, when it ends; not for threads that a process ends with. May be NULL. */
    void (*close)(void *opened);
};

/* To be defined by the object, visible. */
const struct spur_metric_functions *spur_metric_plugin(void);

#ifdef __cplusplus
}
#endif

#endif
