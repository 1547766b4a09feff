/* SPDX-License-Identifier: BSD-3-Clause */
/* The work on each process by itself, shared by all workers at once. */
#ifndef SPUR_FINISH_EACH_H
#define SPUR_FINISH_EACH_H

#include "finish/state/finish_state.h"

/*
 * Works on a single process and the files of the process, and on nothing else. `f` has counters and
 * a culprit of the worker's own; all other members of `f` are only read. 0 or -errno; the error is
 * blamed.
 */
typedef int finish_one(struct finish *f, struct finish_process *p);

/*
 * The data that go with a process to a worker without access to this memory, or come back: columns
 * of finish_wire.def, of the process and of the session. The members behind the head in struct
 * finish_process always go and come.
 */
enum finish_column {
#define COLUMN(NAME, name, kind) FINISH_COLUMN_AT_##NAME,
#include "finish/state/finish_wire.def"
#undef COLUMN
    FINISH_COLUMNS
};
#define FINISH_COLUMN(NAME) (1u << FINISH_COLUMN_AT_##NAME)

/* The number of a step: both sides know the same steps. */
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
    /*
     * Whether the process is worth a message; NULL: each process is. All other processes are done
     * here.
     */
    bool (*is_far)(const struct finish_process *p);
    unsigned gives, takes; /* FINISH_COLUMN() */
    bool writes;           /* to the archive */
    bool is_alone;         /* by one thread of this process: more threads would be slower */
};

/*
 * Does the step for all processes. A worker takes its processes in their order, and stops at the
 * first error. Afterwards the counters of `f` are as after the work of a single worker. Returns the
 * error of the first process with an error.
 */
int finish_each(struct finish *f, const struct finish_step *step);

/*
 * The same without the team, by the threads of this process. *at: the first process with an error.
 */
int finish_each_here(struct finish *f, const struct finish_step *step, uint64_t *at);

/*
 * For a worker with a part of the processes: `part` begins without counts or blame; later `f` gets
 * the counts and the blame of `part`.
 */
void finish_each_begin(const struct finish *f, struct finish *part);
void finish_each_add(struct finish *f, const struct finish *part);

/* The counters of a step. */
/* clang-format off */
#define FINISH_COUNTERS(X)                                                                         \
    X(n_threads) X(events) X(repaired) X(bytes) X(dropped) X(cut_off) X(short_calls)
/* clang-format on */

/* For asking for the archive's writers, as all workers do. */
OTF2_ErrorCode finish_each_lock(struct finish *f);

#endif
