/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/metrics/metric_source.h"

const struct spur_metric_source *const spur_metric_sources[SPUR_METRIC_SOURCES] = {
#define SOURCE(name) &spur_metric_from_##name,
#include "agent/metrics/metric_sources.def"
#undef SOURCE
};
