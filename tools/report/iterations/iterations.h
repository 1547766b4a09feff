/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The iterations of the program: loops that all ranks have in common, how long each iteration
 * takes, whether they get slower, and what takes the time then. They follow from the tracks
 * (topics/report_tracks.h), so from the calls of MPI of the main threads of ranks; without ranks
 * from the OpenMP parallel regions and the user's regions of the process that has most of these.
 */
#ifndef TOOLS_REPORT_ITERATIONS_H
#define TOOLS_REPORT_ITERATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/list.h"

struct report;

/* What takes longer in some iterations than in others. */
struct growth {
    uint32_t process; /* NIL: nothing does */
    uint32_t region;
    uint32_t call;      /* region of the call of MPI before it; NIL: none, or it is a call itself */
    uint32_t site;      /* of this call, or of the call itself; NIL: not known */
    double ticks;       /* by which an iteration of the process takes longer there */
    bool is_everywhere; /* all processes take longer, about as much */
};

/* A loop. Times are ticks; all but `first` are about the iterations behind the first one. */
struct loop {
    uint32_t region; /* the call that ends an iteration */
    uint32_t site;
    const bool *is_end; /* by number of the call, which does; NULL: each */
    size_t n_calls;
    uint64_t begin;
    uint64_t *ends; /* by iteration: when the last process is through it */
    size_t n;
    double share; /* of the iterations that are alike in the run */
    uint64_t first;
    uint64_t quartiles[3];
    size_t slowest;  /* index */
    double at_first; /* medians of the first iterations, and of the last ones */
    double at_end;
    double slope;        /* by which an iteration is longer than the one before; Theil-Sen */
    bool is_drift;       /* they clearly get slower */
    bool has_slow;       /* `slowest` clearly is an exception */
    struct growth grows; /* if is_drift */
    struct growth slow;  /* if has_slow */
};

struct iterations {
    bool is_known;           /* false: there was no room */
    LIST(struct loop) loops; /* the outermost first */
    size_t n_processes;
};

/* Of a report that is joined; made when it is asked for first. */
const struct iterations *iterations_of(struct report *r);

/* What an iteration takes. `i` less than n. */
uint64_t loop_ticks(const struct loop *loop, size_t i);

/* What all iterations behind the first take above those at first, for a loop that drifts. */
double loop_drift_ticks(const struct loop *loop);

struct holding;
/*
 * The outermost loop with which the memory of a process grows (memory_growth_each()); *each: the
 * bytes of an iteration. NULL: there is none.
 */
const struct loop *iterations_of_memory(struct report *r, const struct holding *held, double *each);

#endif
