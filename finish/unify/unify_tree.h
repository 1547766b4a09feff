/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification by many processes as a binomial tree over the ranks. Node r has the children r + 1, r
 * + 2, r + 4, ...; the children's parts hold the ranks behind r in order. A node unifies its own
 * journal with the children's parts, and passes the result to the parent. On the way back the node
 * receives the final ids of its part, and passes to each child the final ids of the child's part.
 * Both ways take ceil(log2(size)) rounds.
 *
 * Half of the processes are leaves. The memory of a leaf is the memory of its own definitions. An
 * inner node holds the unified definitions of its part, and the maps of at most log2(size)
 * children. The result equals the result of spur_unify_add() for the ranks one after the other.
 */
#ifndef SPUR_UNIFY_TREE_H
#define SPUR_UNIFY_TREE_H

#include "finish/unify/unify.h"
#include "session/transport.h"

struct spur_unify_tree {
    struct spur_map map;      /* from the process's ids to the final ids */
    uint64_t stamp;           /* of the final journal: spur_unify_stamp() */
    uint64_t world;           /* a number given by rank 0 to all processes */
    struct spur_words result; /* the final journal: of rank 0 only */
};

/*
 * Collective. `own` is NULL for a process without definitions to contribute: then no process has a
 * result, as after any other failure on the way up. After a failure on the way down, only the
 * processes below the failed node have no result. All processes return in any case, as long as the
 * transport does. 0 or -errno; `tree` is zero-initialised by the caller, spur_unify_tree_free()
 * afterwards.
 */
int spur_unify_tree(const struct spur_transport *t, const struct spur_unify_input *own,
                    struct spur_unify_tree *tree);
void spur_unify_tree_free(struct spur_unify_tree *tree);

#endif
