/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock for the wrappers' own tables. The host's pthread functions are traced, so they are not
 * used. A waiter yields: the holder may have lost the processor. errno is not touched, since
 * sched_yield() does not fail.
 */
#ifndef WRAPPERS_KIT_WRAPPER_LOCK_H
#define WRAPPERS_KIT_WRAPPER_LOCK_H

#include <sched.h>
#include <stdatomic.h>

struct wrapper_lock {
    atomic_flag taken;
};

static inline void wrapper_lock_take(struct wrapper_lock *lock)
{
    while (atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire))
        sched_yield();
}

static inline void wrapper_lock_give(struct wrapper_lock *lock)
{
    atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

#endif
