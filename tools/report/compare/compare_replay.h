/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run as on a network that costs no time, and its counters: a second pass over the ranks' main
 * threads. Outside of MPI a rank takes the recorded time. Inside MPI a rank takes no time, except
 * for waiting: a receive waits for the begin of the send, a collective operation for the begins of
 * the members that it needs (report_instances.h). A send does not wait. So the ideal time is at
 * least the work of the busiest rank, and at most the time that the run took.
 *
 * Each rank is read on until it needs an event that another rank has not yet reached. So clocks
 * that differ change only the beginnings. Memory follows the messages under way, and the collective
 * operations that some members have not reached yet.
 */
#ifndef TOOLS_REPORT_COMPARE_REPLAY_H
#define TOOLS_REPORT_COMPARE_REPLAY_H

#include <stdbool.h>

#include "tools/report/topics/report.h"

enum counter { COUNTER_INSTRUCTIONS, COUNTER_CYCLES, COUNTERS };

struct replay {
    const char *why_not; /* why the ideal time is unknown; NULL: the time is known */
    double ideal;        /* ticks: of the rank with the longest time */
    /* Sum of all ranks outside of MPI, from MPI_Init to MPI_Finalize; not a number: unknown. */
    double counted[COUNTERS];
};

struct replay replay_of(struct report *r);

#endif
