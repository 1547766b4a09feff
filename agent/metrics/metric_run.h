/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations for the files that record metrics. */
#ifndef SPUR_METRIC_RUNNING_H
#define SPUR_METRIC_RUNNING_H

#include "agent/metrics/metric_choice.h"
#include "agent/metrics/metrics.h"

/* One reader per source of the choice; NULL where the choice names no metric of the source. */
struct spur_metric_readers {
    void *of[SPUR_METRIC_SOURCES];
    uint64_t value[SPUR_METRICS_MAX]; /* values of one reader: not on the program's stack */
};

bool spur_metric_open_readers(const struct spur_metric_choice *choice,
                              struct spur_metric_readers *readers, char why[SPUR_METRIC_TEXT]);
/* `value` in the order of the choice. */
bool spur_metric_read_all(const struct spur_metric_choice *choice,
                          struct spur_metric_readers *readers, OTF2_MetricValue *value);
void spur_metric_close_readers(struct spur_metric_readers *readers, enum spur_metric_closer by);

/* Members and class of a choice that is not empty, in the journal. */
OTF2_MetricRef spur_metric_define_class(const struct spur_metric_choice *choice,
                                        OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind);
/* The types of the choice's values. */
void spur_metric_types(const struct spur_metric_choice *choice, OTF2_Type *type);

/* ---- agent/metrics/metric_async.c ---- */

/* NULL: the settings name no metric. */
void spur_metric_async_start(const char *list);
const struct spur_metric_choice *spur_metric_async_choice(void);
void spur_metric_async_define(void);
/* A location is open: the location of the process can be made, unless already made. */
void spur_metric_async_open(void);
/* An event is being recorded: has the period ended? */
void spur_metric_async_poll(void);
void spur_metric_async_end(void);
void spur_metric_async_after_fork(void);
/* CLOCK_MONOTONIC, as fine as periods need. */
uint64_t spur_metric_now_ms(void);

/* ---- agent/metrics/metric_host.c: the same for metrics of the host ---- */

void spur_metric_host_start(const char *list);
const struct spur_metric_choice *spur_metric_host_choice(void);
void spur_metric_host_define(void);
void spur_metric_host_open(void);
void spur_metric_host_poll(void);
void spur_metric_host_end(void);
void spur_metric_host_after_fork(void);

/* ---- agent/metrics/metric_gauge.c ---- */

void spur_gauge_end(void);
void spur_gauge_after_fork(void);

#endif
