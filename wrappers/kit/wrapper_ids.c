/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper_ids.h"

#include <stdatomic.h>

/* A thread counts its own, so that none waits for another; the thread is in the upper bits. */
static _Atomic uint64_t threads;
static _Thread_local uint64_t last_id;

uint64_t wrapper_operation_id(void)
{
    enum { COUNTER_BITS = 40 };
    if (__builtin_expect(last_id == 0, 0))
        last_id = atomic_fetch_add_explicit(&threads, 1, memory_order_relaxed) << COUNTER_BITS;
    return ++last_id;
}
