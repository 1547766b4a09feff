/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual exclusion that costs the first thread nothing: what it guards belongs to the thread that
 * uses it first, which takes and gives it by plain stores, until another thread comes. From then on
 * for ever it is shared, and the users have locks of their own. Most programs call MPI from one
 * thread; an atomic read-modify-write per request would be a tenth of what recording one costs.
 *
 * The handing over is that of a location at the end (agent/record/location.h): the newcomer
 * withdraws the ownership, makes all threads pass a barrier, and waits until the owner is out.
 */
#ifndef MPI_OWNER_H
#define MPI_OWNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/kit/wrapper_lock.h"

struct mpi_owner {
    _Atomic(const void *) thread; /* an address in its own storage, or one of mpi_owner.c's */
    _Atomic(const void *) first;  /* the one that owned it, if there was one */
    _Atomic(uint32_t) is_busy;    /* the owner is inside */
    struct wrapper_lock change;
};

extern _Thread_local char mpi_owner_self;

bool mpi_owner_take_slowly(struct mpi_owner *owner);

/* True: the thread is alone until it gives. False: it may become so by mpi_owner_take(). */
static inline bool mpi_owner_take_at_once(struct mpi_owner *owner)
{
    const void *self = &mpi_owner_self;
    if (__builtin_expect(atomic_load_explicit(&owner->thread, memory_order_relaxed) != self, 0))
        return false;
    atomic_store_explicit(&owner->is_busy, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    if (__builtin_expect(atomic_load_explicit(&owner->thread, memory_order_relaxed) == self, 1))
        return true;
    atomic_store_explicit(&owner->is_busy, 0, memory_order_release);
    return false;
}

/* True: the thread is alone until it gives. False: it is shared, take your own lock. */
static inline bool mpi_owner_take(struct mpi_owner *owner)
{
    return __builtin_expect(mpi_owner_take_at_once(owner), 1) || mpi_owner_take_slowly(owner);
}

static inline void mpi_owner_give(struct mpi_owner *owner)
{
    atomic_store_explicit(&owner->is_busy, 0, memory_order_release);
}

#endif
