/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The self time of a region is exact. Functions that were only seen on stacks inside the region
 * took a part of the time. The part has to be derived, for each thread:
 *
 *     with samples       samples x period is a function's CPU time. The rest of the region's time
 *                        is (blocked), or the region's own if the rest may be chance.
 *     with stacks only   the time between two calls goes to the common part of both stacks.
 *
 * The time of calls that were only counted is taken away from their callers.
 *
 * No more time is given away than a region has, so every sum stays the same.
 */
#ifndef TOOLS_REPORT_SHARES_H
#define TOOLS_REPORT_SHARES_H

#include <stdint.h>

struct report;

/* When all events are read, before totals are computed. */
void shares_make(struct report *r);

/* Error of samples: `n` samples stand for `ticks`, plus or minus the result, in 19 of 20 cases. */
double shares_error(uint64_t ticks, uint64_t n);

#endif
