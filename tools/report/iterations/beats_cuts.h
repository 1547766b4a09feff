/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which calls of a symbol (beats.h) end an iteration, where not each does: a halo exchange makes
 * the same calls once for each neighbour, and is no loop that a reader looks for.
 */
#ifndef TOOLS_REPORT_BEATS_CUTS_H
#define TOOLS_REPORT_BEATS_CUTS_H

#include "tools/report/iterations/beats.h"

/*
 * By call of the sequence: it ends a run, since the calls up to the next one of its symbol are not
 * those up to it once more. To be freed.
 */
bool *cuts_of_runs(const struct beats *b);

/*
 * After how many of n segments (times between them, which do not decrease) their lengths come
 * again; 1: after each, or never.
 */
size_t cuts_period(const uint64_t *times, size_t n);

#endif
