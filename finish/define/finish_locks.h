/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks are known by a number in their process. Those that are variables have a name as well: a
 * property of the process, SPUR_SAYS_LOCK and the number.
 */
#ifndef SPUR_FINISH_LOCKS_H
#define SPUR_FINISH_LOCKS_H

#include "finish/define/finish_frames.h"
#include "finish/state/finish_state.h"

/* After unification: finish_process.locks become the strings of the properties. 0, or -ENOMEM. */
int finish_locks(struct finish *f, const struct finish_frames *frames);

/* Write the properties of a process, whose location group is there. */
OTF2_ErrorCode finish_locks_properties(const struct finish_process *p,
                                       OTF2_GlobalDefWriter *writer);

#endif
