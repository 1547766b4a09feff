/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations for the files of PAPI's metrics: the library, opened at run time. */
#ifndef SPUR_METRIC_PAPI_H
#define SPUR_METRIC_PAPI_H

#include "agent/metrics/metric_source.h"

/* As in papi.h. */
enum spur_papi_constant {
    SPUR_PAPI_OK = 0,
    SPUR_PAPI_EINVAL = -1,
    SPUR_PAPI_ESYS = -3,
    SPUR_PAPI_ECMP = -4,
    SPUR_PAPI_ENOEVNT = -7,
    SPUR_PAPI_ECNFLCT = -8,
    SPUR_PAPI_ENOCNTR = -13,
    SPUR_PAPI_EPERM = -15,
    SPUR_PAPI_ENOSUPP = -18,
    SPUR_PAPI_ECMP_DISABLED = -25,
    SPUR_PAPI_NULL = -1,
    SPUR_PAPI_LIB_VERSION = 21,
    SPUR_PAPI_DOM_ALL = 1 | 2 | 4 | 8,
    SPUR_PAPI_ENUM_EVENTS = 0,
    SPUR_PAPI_ENUM_FIRST = 1,
    SPUR_PAPI_NATIVE_MASK = 0x40000000,
};

struct spur_papi {
#define CALL(type, name, parameters) type(*name) parameters;
#include "agent/metrics/sources/papi_calls.def"
};

/* The library, set up; NULL: `why` names the missing part, and the remedy. Opened once a
 * process. */
const struct spur_papi *spur_papi_get(char why[SPUR_METRIC_TEXT]);

/*
 * PAPI's code of a requested metric, by the number that the source has given the metric. PAPI 7.0
 * gives native events new codes whenever events are enumerated, and after each set-up of the
 * library. After either, the codes are looked up again by name.
 */
int spur_papi_code(uint64_t id);
void spur_papi_look_up_again(const struct spur_papi *papi);

/*
 * Around every call that may take a lock of PAPI's. A child of fork(), made meanwhile by another
 * thread, finds the lock taken for good, and must not use PAPI.
 */
void spur_papi_begin(void);
void spur_papi_end(void);

/* As the functions of a source. */
void *spur_papi_open(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT]);
bool spur_papi_read(void *data, uint64_t *values);
void spur_papi_close(void *data, enum spur_metric_closer by);
void spur_papi_after_fork(void);

#endif
