/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual exclusion without costs for the first thread. The guarded object belongs to the thread
 * that uses the object first. The owner takes and gives the object by plain stores, until another
 * thread comes. From then on for ever the object is shared, and the users have locks of their own.
 * Most programs call MPI from one thread; an atomic read-modify-write per request would be a tenth
 * of the costs of recording a request.
 *
 * The handing over is the same as for a location at the end (agent/record/location.h): the newcomer
 * withdraws the ownership, makes all threads pass a barrier, and waits until the owner is out.
 */
#ifndef MPI_OWNER_H
#define MPI_OWNER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/kit/wrapper_lock.h"

struct mpi_owner {
    _Atomic(const void *) thread; /* an address in the owner's own storage, or in mpi_owner.c */
    _Atomic(const void *) first;  /* the former owner, if any */
    _Atomic(uint32_t) is_busy;    /* the owner is inside */
    struct wrapper_lock change;
};

extern _Thread_local char mpi_owner_self;

bool mpi_owner_take_slowly(struct mpi_owner *owner);

/* True: the thread is alone until it gives. False: mpi_owner_take() may still succeed. */
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

/* True: the thread is alone until it gives. False: the object is shared, take your own lock. */
static inline bool mpi_owner_take(struct mpi_owner *owner)
{
    return __builtin_expect(mpi_owner_take_at_once(owner), 1) || mpi_owner_take_slowly(owner);
}

static inline void mpi_owner_give(struct mpi_owner *owner)
{
    atomic_store_explicit(&owner->is_busy, 0, memory_order_release);
}

#endif
