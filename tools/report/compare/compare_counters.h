/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the counters of a location gain while it is in one of two states. A value that was read in
 * one state and follows a value of another belongs to both: then the sums are not known.
 */
#ifndef TOOLS_REPORT_COMPARE_COUNTERS_H
#define TOOLS_REPORT_COMPARE_COUNTERS_H

#include "tools/report/compare/compare_replay.h"

/* Which metric each counter is: the text of its name in the definitions; NULL: it is not there. */
struct counters {
    const char *name[COUNTERS];
};

struct counters counters_of(const struct report *r);

struct counting {
    OTF2_MetricValue last[COUNTERS];
    double gained[COUNTERS];
    bool is_there[COUNTERS];
    bool has_just_read; /* by the event before */
    bool is_mixed;      /* since the last values the state has changed unseen */
    bool is_unknown;    /* and values were read then */
};

/* An event of the location that holds no values; whether it changes the state. */
void counting_at(struct counting *c, bool is_change);

/* Values: of the state that they end, which counts or does not. */
void counting_take(struct counting *c, const struct counters *names, const struct report *r,
                   uint32_t class, uint8_t n, const OTF2_Type *types,
                   const OTF2_MetricValue *values, bool counts);

#endif
