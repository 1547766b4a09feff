/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The agent's own mutex. A mutex of pthread is no choice: pthread functions are wrapped, and a lock
 * of the C library may be held by the host. Used on cold paths only; never held over a call into
 * the host. The holder of a lock gets no signal until the lock is given, so no handler waits for
 * the thread that is interrupted, or leaves the lock behind. A child of fork() resets the locks
 * that the child uses, and makes the guarded data anew: other threads of the parent may have held
 * the locks. errno is kept.
 */
#ifndef SPUR_LOCK_H
#define SPUR_LOCK_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/quiet.h"
#include "base/raw_call.h"
#include "base/sharers.h"

struct spur_lock {
    _Atomic int state; /* 0 free, 1 held, 2 held and waited for */
};

#define SPUR_LOCK_INIT                                                                             \
    {                                                                                              \
        0                                                                                          \
    }

/*
 * The number of locks that the thread holds. Signals that an instruction raises are not held back:
 * a handler of such a signal takes no lock while the number is above 0.
 */
extern _Thread_local uint32_t spur_locks_held;

/*
 * The lock is counted before the lock is taken, and until the lock is given. A signal handler that
 * sees 0 may wait for any lock: no holder of a lock waits for a signal handler.
 */
static inline void spur_lock_take(struct spur_lock *lock)
{
    int free_state = 0;
    spur_quiet_begin();
    spur_locks_held += !spur_is_sharer();
    atomic_signal_fence(memory_order_seq_cst);
    if (atomic_compare_exchange_strong_explicit(&lock->state, &free_state, 1, memory_order_acquire,
                                                memory_order_relaxed))
        return;
    while (atomic_exchange_explicit(&lock->state, 2, memory_order_acquire) != 0)
        (void)spur_raw_call(SYS_futex, (long)&lock->state, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
}

static inline void spur_lock_give(struct spur_lock *lock)
{
    if (atomic_exchange_explicit(&lock->state, 0, memory_order_release) == 2)
        (void)spur_raw_call(SYS_futex, (long)&lock->state, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    atomic_signal_fence(memory_order_seq_cst);
    spur_locks_held -= !spur_is_sharer();
    spur_quiet_end();
}

static inline void spur_lock_reset(struct spur_lock *lock)
{
    atomic_store_explicit(&lock->state, 0, memory_order_relaxed);
}

#endif
