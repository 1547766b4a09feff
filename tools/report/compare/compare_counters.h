/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gains of a location's counters while the location is in either of two states. If two successive
 * values were read in different states, the gain between the values belongs to both states: then
 * the sums are not known.
 */
#ifndef TOOLS_REPORT_COMPARE_COUNTERS_H
#define TOOLS_REPORT_COMPARE_COUNTERS_H

#include "tools/report/compare/compare_replay.h"

/* The metric of each counter: the text of its name in the definitions; NULL: not defined. */
struct counters {
    const char *name[COUNTERS];
};

struct counters counters_of(const struct report *r);

struct counting {
    OTF2_MetricValue last[COUNTERS];
    double gained[COUNTERS];
    bool is_there[COUNTERS];
    bool has_just_read; /* the previous event has read values */
    bool is_mixed;      /* the state has changed since the last values */
    bool is_unknown;    /* and values were read after the change */
};

/* An event of the location that holds no values; `is_change`: the event changes the state. */
void counting_at(struct counting *c, bool is_change);

/* Values at the end of a state; `counts`: the gain in the state counts. */
void counting_take(struct counting *c, const struct counters *names, const struct report *r,
                   uint32_t class, uint8_t n, const OTF2_Type *types,
                   const OTF2_MetricValue *values, bool counts);

#endif
