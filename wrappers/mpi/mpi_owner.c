/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_owner.h"

#include "agent/spur_agent.h"

_Thread_local char mpi_owner_self;

/* What stands for no thread: the ownership is being withdrawn, or all share. */
static const char withdrawn;
static const char shared;

/* With the lock for changes, and the owner not inside. */
static void share(struct mpi_owner *owner)
{
    atomic_store_explicit(&owner->thread, &shared, memory_order_release);
}

/* With the lock for changes. */
static void withdraw(struct mpi_owner *owner)
{
    atomic_store(&owner->thread, &withdrawn);
    spur_fence_threads();
    while (atomic_load_explicit(&owner->is_busy, memory_order_acquire))
        sched_yield();
    share(owner);
}

bool mpi_owner_take_slowly(struct mpi_owner *owner)
{
    if (atomic_load_explicit(&owner->thread, memory_order_acquire) == &shared)
        return false;
    wrapper_lock_take(&owner->change);
    const void *thread = atomic_load(&owner->thread);
    if (!thread && spur_fence_threads()) {
        atomic_store(&owner->first, &mpi_owner_self);
        atomic_store(&owner->thread, &mpi_owner_self);
    } else if (!thread) {
        share(owner);
    } else if (thread != &shared && thread != &mpi_owner_self) {
        withdraw(owner);
    }
    wrapper_lock_give(&owner->change);
    return mpi_owner_take(owner);
}
