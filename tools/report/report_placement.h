/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with where processes ran, and with what they used. */
#ifndef TOOLS_REPORT_PLACEMENT_H
#define TOOLS_REPORT_PLACEMENT_H

#include "tools/report/report_findings.h"

struct report;
struct placement;
struct spent;

/*
 * Ranks that are bound to one processor, and ranks with fewer processors than threads in their
 * teams; with the time that this costs at most.
 */
void placement_findings(struct report *r, struct findings *found);

/* Whether the kernel took the processor away often. */
bool placement_is_interrupted(const struct report *r, const struct placement *p,
                              const struct spent *spent);

/* Remarks on processes that others interrupt often, and on a rank of much more memory. */
void placement_remarks(struct report *r);

#endif
