/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics by region. The gain of a counter since its last record belongs to the call path that was
 * open since then. For values measured at a point in time, the path has the least, the mean and the
 * greatest value.
 */
#ifndef TOOLS_REPORT_METRICS_H
#define TOOLS_REPORT_METRICS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_notes.h"

struct report;
struct stream;

/* A metric at a call path. */
struct gauge {
    uint32_t node;
    uint32_t member; /* index of the metric's definition */
    uint64_t n;
    double sum;
    double min;
    double max;
    struct birth born;
};

/* A gain from a record. A sample that follows at once gives the call path of the gain. */
struct gain {
    uint32_t member;
    double value;
};

struct metrics {
    LIST(struct gauge) all;
    struct map index_of;           /* (node, member) */
    struct map value_of;           /* (location, metric and position) to values */
    LIST(OTF2_MetricValue) values; /* last values of counters */
    LIST(struct gain) gains;       /* gains of a location, at a time, for a node */
    uint32_t location;
    uint32_t node;
    uint64_t time;
};

/*
 * The gains from the stream's last records, at the time of its last event, belong to the given
 * node.
 */
void metrics_belong(struct report *r, const struct stream *s, uint32_t node);
void metrics_finish(struct report *r);

void metrics_register(OTF2_GlobalEvtReaderCallbacks *c);

/* Whether the values of a metric are added up. */
bool metrics_is_sum(const struct report *r, uint32_t member);

/* The factor that converts a value of the metric into its unit. */
double metrics_scale(const struct report *r, uint32_t member);

#endif
