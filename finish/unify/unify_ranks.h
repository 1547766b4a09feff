/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks that a process knows, as places among all MPI processes of the session. */
#ifndef SPUR_UNIFY_RANKS_H
#define SPUR_UNIFY_RANKS_H

#include "finish/unify/unify.h"

/*
 * Replace the ranks of a group by their places. `runs` is the number of runs, followed by the first
 * and the length of each. Runs that were apart may now be one: returns how many words less there
 * are.
 */
size_t spur_unify_adapt_ranks(const struct spur_unify_input *input, uint64_t *runs);

#endif
