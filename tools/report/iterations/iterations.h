/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The iterations of the program: loops that all ranks have in common, the duration of each
 * iteration, and drift towards slower iterations with its cause. Iterations are found in the tracks
 * (topics/report_tracks.h), so in the calls of MPI of the main threads of ranks. Without ranks
 * loops are found in the OpenMP parallel regions and the user's regions of the process that has
 * most of such regions.
 */
#ifndef TOOLS_REPORT_ITERATIONS_H
#define TOOLS_REPORT_ITERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/list.h"

struct report;

/* The part of the program that takes longer in some iterations than in the remaining iterations. */
struct growth {
    uint32_t process; /* NIL: no part takes longer */
    uint32_t region;
    uint32_t call;      /* region of the call of MPI before; NIL: no call, or the part is a call */
    uint32_t site;      /* of the call before, or of the part if it is a call; NIL: not known */
    double ticks;       /* more time of the process there, for an iteration */
    bool is_everywhere; /* all processes take longer, by about the same time */
};

/*
 * A loop. Times are ticks. All members except `first` are about the iterations behind the first
 * iteration.
 */
struct loop {
    uint32_t region; /* the call that ends an iteration */
    uint32_t site;
    const bool *is_end; /* by number of the call: ends an iteration; NULL: all calls do */
    size_t n_calls;
    uint64_t begin;
    uint64_t *ends; /* by iteration: when the last process has ended the iteration */
    size_t n;
    double share; /* share of the similar iterations in the run */
    uint64_t first;
    uint64_t quartiles[3];
    size_t slowest;  /* index */
    double at_first; /* medians of the first and of the last iterations */
    double at_end;
    double slope;        /* growth from an iteration to the next; Theil-Sen */
    bool is_drift;       /* iterations clearly get slower */
    bool has_slow;       /* `slowest` clearly is an exception */
    struct growth grows; /* if is_drift */
    struct growth slow;  /* if has_slow */
};

struct iterations {
    bool is_known;           /* false: there was no room */
    LIST(struct loop) loops; /* the outermost first */
    size_t n_processes;
};

/* The iterations of a joined report; computed at the first call. */
const struct iterations *iterations_of(struct report *r);

/* Duration of an iteration. `i` less than n. */
uint64_t loop_ticks(const struct loop *loop, size_t i);

/*
 * Sum over all iterations behind the first, for a loop that drifts: time above the first
 * iterations' time.
 */
double loop_drift_ticks(const struct loop *loop);

struct holding;
/*
 * The outermost loop with which the memory of a process grows (memory_growth_each()); *each: the
 * growth in bytes for each iteration. NULL: no loop.
 */
const struct loop *iterations_of_memory(struct report *r, const struct holding *held, double *each);

#endif
