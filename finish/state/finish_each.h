/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done for each process by itself, by all workers at once. */
#ifndef SPUR_FINISH_EACH_H
#define SPUR_FINISH_EACH_H

#include "finish/state/finish_state.h"

/*
 * Does something to one process, and to nothing else but its files. `f` has counters and a culprit
 * of the worker's own; all else in it is only read. 0 or -errno, which is blamed.
 */
typedef int finish_one(struct finish *f, struct finish_process *p);

/*
 * What goes with a process to another worker that does not see this memory, or comes back: columns
 * of finish_wire.def, of the process and of the session. What follows the head in struct
 * finish_process always goes and comes.
 */
enum finish_column {
#define COLUMN(NAME, name, kind) FINISH_COLUMN_AT_##NAME,
#include "finish/state/finish_wire.def"
#undef COLUMN
    FINISH_COLUMNS
};
#define FINISH_COLUMN(NAME) (1u << FINISH_COLUMN_AT_##NAME)

/* Which step it is: both sides know the same ones. */
enum finish_step_number {
    FINISH_STEP_HOSTS, /* no step for processes, see finish_hosts_scan() */
    FINISH_STEP_SEE,
    FINISH_STEP_JUDGE,
    FINISH_STEP_READ,
    FINISH_STEP_EVENTS,
    FINISH_STEP_LOCALS,
    FINISH_STEP_TIDY,
    FINISH_STEPS
};

struct finish_step {
    enum finish_step_number number;
    finish_one *one;
    /* Whether the process is worth a message; NULL: each. The others are done here. */
    bool (*is_far)(const struct finish_process *p);
    unsigned gives, takes; /* FINISH_COLUMN() */
    bool writes;           /* to the archive */
    bool is_alone;         /* here by one thread: to look at a process takes longer with others */
};

/*
 * Does the step for all processes; those of a worker come in their order, and it stops at the first
 * error. Afterwards the counters of `f` are as if there were one worker. Returns the error of the
 * first process that has one.
 */
int finish_each(struct finish *f, const struct finish_step *step);

/* The same without the team, by the threads of this process. *at: the first that has an error. */
int finish_each_here(struct finish *f, const struct finish_step *step, uint64_t *at);

/* For who does a part: `part` has no counts and nothing to blame yet; `f` gets what it has then. */
void finish_each_begin(const struct finish *f, struct finish *part);
void finish_each_add(struct finish *f, const struct finish *part);

/* What is counted in a step. */
/* clang-format off */
#define FINISH_COUNTERS(X)                                                                         \
    X(n_threads) X(events) X(repaired) X(bytes) X(dropped) X(cut_off) X(short_calls)
/* clang-format on */

/* The archive's writers are asked for by all workers. */
OTF2_ErrorCode finish_each_lock(struct finish *f);

#endif
