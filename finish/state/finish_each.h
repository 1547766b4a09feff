/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done for each process by itself, by all workers at once. */
#ifndef SPUR_FINISH_EACH_H
#define SPUR_FINISH_EACH_H

#include "finish/state/finish_state.h"

/*
 * Does something to one process, and to nothing else but its files. `f` has counters and a culprit
 * of the worker's own; all else in it is only read. 0 or -errno, which is blamed.
 */
typedef int finish_one(struct finish *f, struct finish_process *p, const void *context);

/*
 * Calls `one` for all processes; those of a worker come in their order, and it stops at the first
 * error. Afterwards the counters of `f` are as if there were one worker. Returns the error of the
 * first process that has one.
 */
int finish_each(struct finish *f, finish_one *one, const void *context);

/* The archive's writers are asked for by all workers. */
OTF2_ErrorCode finish_each_lock(struct finish *f);

#endif
