/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time that a region spends by itself is exact. Functions that were only seen on stacks inside
 * of it took a part of that, which has to be derived, for each thread:
 *
 *     with samples       samples x period is a function's CPU time. The rest of the region's time
 *                        is (blocked), or the region's own if it is no more than chance.
 *     with stacks only   the time between two calls, for what both stacks have in common.
 *
 * What calls took that were only counted is no longer the time of what made them.
 *
 * Never more is given away than there is, so every sum stays what it was.
 */
#ifndef TOOLS_REPORT_SHARES_H
#define TOOLS_REPORT_SHARES_H

#include <stdint.h>

struct report;

/* When all events are read, before totals are made. */
void shares_make(struct report *r);

/* How far off samples may be: `ticks` that `n` of them stand for, in 19 of 20 cases. */
double shares_error(uint64_t ticks, uint64_t n);

#endif
