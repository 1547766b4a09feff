/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two files of metrics "perf:NAME" share. */
#ifndef SPUR_METRIC_PERF_H
#define SPUR_METRIC_PERF_H

#include <linux/perf_event.h>

#include "agent/metrics/metric_source.h"

/* Flags in a metric's number, beside the type and the configuration. */
#define SPUR_PERF_NO_USER ((uint64_t)1 << 59)
#define SPUR_PERF_NO_KERNEL ((uint64_t)1 << 58)
#define SPUR_PERF_FLAGS (SPUR_PERF_NO_USER | SPUR_PERF_NO_KERNEL)

uint32_t spur_perf_type(uint64_t id);
void spur_perf_attr(uint64_t id, struct perf_event_attr *attr);

/* As the functions of a source. */
void *spur_perf_open(const struct spur_metric_group *group, char why[SPUR_METRIC_TEXT]);
bool spur_perf_read(void *data, uint64_t *values);
void spur_perf_close(void *data, enum spur_metric_closer by);

#endif
