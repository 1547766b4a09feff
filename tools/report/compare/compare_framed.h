/* SPDX-License-Identifier: BSD-3-Clause */
/* Time by region, within the time that the efficiencies cover (show/report_efficiency.h). */
#ifndef TOOLS_REPORT_COMPARE_FRAMED_H
#define TOOLS_REPORT_COMPARE_FRAMED_H

struct report;

/*
 * Ticks in each region alone, to be freed: of the main threads of ranks from the end of MPI_Init to
 * the begin of MPI_Finalize, or all where one of these is missing; of a program without MPI all of
 * the main thread; and of threads that work in teams. What is only seen on stacks, or was too short
 * to be recorded, has part in the frame as the region around it.
 */
double *framed_ticks(const struct report *r);

#endif
