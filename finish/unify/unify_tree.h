/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unification by many processes as a binomial tree over the ranks. Node r has the children r + 1,
 * r + 2, r + 4, ...; their parts hold the ranks behind it in order. A node unifies its own journal
 * with these parts, and passes the result to its parent. On the way back it is told the final ids
 * of its part, and tells each child those of the child's. Both ways take ceil(log2(size)) rounds.
 *
 * Memory of a leaf, and half of the processes are leaves, is that of its own definitions; that of
 * an inner node is what the definitions of its part come to once unified, and the maps of at most
 * log2(size) children. The result is that of spur_unify_add() for one rank after the other.
 */
#ifndef SPUR_UNIFY_TREE_H
#define SPUR_UNIFY_TREE_H

#include "finish/unify/unify.h"
#include "session/transport.h"

struct spur_unify_tree {
    struct spur_map map;      /* from the process's ids to the final ones */
    uint64_t stamp;           /* of the final journal: spur_unify_stamp() */
    uint64_t world;           /* a number that rank 0 gives, and all get */
    struct spur_words result; /* the final journal: of rank 0 only */
};

/*
 * Collective. `own` is NULL for a process that takes part with nothing: then nobody has a result,
 * as after any other failure on the way up. On the way down only those who are told through the
 * failed node have none. All return in any case, as long as the transport does.
 * 0 or -errno; `tree` is zero-initialised by the caller, spur_unify_tree_free() afterwards.
 */
int spur_unify_tree(const struct spur_transport *t, const struct spur_unify_input *own,
                    struct spur_unify_tree *tree);
void spur_unify_tree_free(struct spur_unify_tree *tree);

#endif
