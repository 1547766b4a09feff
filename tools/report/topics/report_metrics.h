/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Metrics by region. What a counter has gained since its last record belongs to the call path that
 * was open since; of values that are measured at a point, the path has the least, the mean and the
 * greatest.
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

/* One metric at one call path. */
struct gauge {
    uint32_t node;
    uint32_t member; /* index of its definition */
    uint64_t n;
    double sum;
    double min;
    double max;
    struct birth born;
};

/* What a record has told; a sample that follows at once tells where it belongs. */
struct gain {
    uint32_t member;
    double value;
};

struct metrics {
    LIST(struct gauge) all;
    struct map index_of;           /* (node, member) */
    struct map value_of;           /* (location, metric and position) to values */
    LIST(OTF2_MetricValue) values; /* of counters: the last ones */
    LIST(struct gain) gains;       /* of a location, at a time, for a node */
    uint32_t location;
    uint32_t node;
    uint64_t time;
};

/* What the stream's last records have told, at the time of its last event, belongs to this node. */
void metrics_belong(struct report *r, const struct stream *s, uint32_t node);
void metrics_finish(struct report *r);

void metrics_register(OTF2_GlobalEvtReaderCallbacks *c);

/* Whether the values of a metric are added up. */
bool metrics_is_sum(const struct report *r, uint32_t member);

/* What a value is to be multiplied with to be in its unit. */
double metrics_scale(const struct report *r, uint32_t member);

#endif
