/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock for tables of what a program has mapped or has under way. A signal handler may call what a
 * wrapper that holds the lock has been interrupted in: it is told that it cannot have it, and does
 * without the table. Async-signal-safe; errno is kept.
 */
#ifndef IO_HOLD_H
#define IO_HOLD_H

#include <stdbool.h>

#include "wrappers/kit/wrapper_lock.h"

struct io_hold {
    struct wrapper_lock lock;
};

extern _Thread_local bool io_is_holding;

/* False: the thread holds one already. */
static inline bool io_hold(struct io_hold *hold)
{
    if (io_is_holding)
        return false;
    io_is_holding = true;
    atomic_signal_fence(memory_order_seq_cst);
    wrapper_lock_take(&hold->lock);
    return true;
}

static inline void io_let_go(struct io_hold *hold)
{
    wrapper_lock_give(&hold->lock);
    atomic_signal_fence(memory_order_seq_cst);
    io_is_holding = false;
}

#endif
