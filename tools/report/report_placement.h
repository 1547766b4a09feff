/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with where processes ran, and with the memory and processors that were used. */
#ifndef TOOLS_REPORT_PLACEMENT_H
#define TOOLS_REPORT_PLACEMENT_H

#include "tools/report/report_findings.h"

struct report;
struct placement;

/*
 * Ranks that are bound to one processor, and ranks with fewer processors than threads in their
 * teams; with the time that the lack of processors costs at most.
 */
void placement_findings(struct report *r, struct findings *found);

/*
 * How long the main thread of a process had a processor, and how long the thread wanted a processor
 * and had none. False: unknown, or of another time than the report's: the kernel counts in pauses,
 * too, and outside of a window.
 */
bool placement_wanted(const struct report *r, const struct placement *p, uint32_t process,
                      double *run, double *delay);

/* Remarks on processes that other processes interrupt often, and on a rank of much more memory. */
void placement_remarks(struct report *r);

#endif
