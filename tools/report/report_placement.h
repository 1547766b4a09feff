/* SPDX-License-Identifier: BSD-3-Clause */
/* Findings and remarks about the placement of processes, and about processors and memory. */
#ifndef TOOLS_REPORT_PLACEMENT_H
#define TOOLS_REPORT_PLACEMENT_H

#include "tools/report/report_findings.h"

struct report;
struct placement;

/*
 * Findings: ranks that are bound to one processor, and ranks with fewer processors than threads in
 * a team. The cost of a finding is the most time that the lack of processors can have taken.
 */
void placement_findings(struct report *r, struct findings *found);

/*
 * Seconds in which the main thread of a process had a processor (*run), and in which the thread was
 * ready and had no processor (*delay). False: unknown, or of another time than the report's, since
 * the kernel also counts in pauses of the recording and outside of a window.
 */
bool placement_wanted(const struct report *r, const struct placement *p, uint32_t process,
                      double *run, double *delay);

/* Remarks on processes that other processes interrupt often, and on a rank of much more memory. */
void placement_remarks(struct report *r);

#endif
