/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A run as it would be on a network that costs no time, and its counters: a second pass over the
 * ranks' main threads. Outside of MPI a rank takes the time that it took; in MPI none, but that it
 * waits for what its call needs: a receive for the begin of the send, a collective operation for
 * the begins of those whom it waits for (report_instances.h). A send waits for nobody. So the ideal
 * time is at least the work of the busiest rank, and at most the time that the run took.
 *
 * Each rank is read on until it needs what another one has not yet reached, so clocks that differ
 * change nothing but the beginnings. Memory follows the messages that are under way, and the
 * collective operations that not all members have reached.
 */
#ifndef TOOLS_REPORT_COMPARE_REPLAY_H
#define TOOLS_REPORT_COMPARE_REPLAY_H

#include <stdbool.h>

#include "tools/report/topics/report.h"

enum counter { COUNTER_INSTRUCTIONS, COUNTER_CYCLES, COUNTERS };

struct replay {
    const char *why_not; /* there is no ideal time; NULL: there is */
    double ideal;        /* ticks: of the rank that takes longest */
    /* Of all ranks together outside of MPI, from MPI_Init to MPI_Finalize; not a number: unknown.
     */
    double counted[COUNTERS];
};

struct replay replay_of(struct report *r);

#endif
