/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/clock_read.h"

#include <stdatomic.h>

_Atomic bool spur_clock_is_tsc;
_Atomic bool spur_clock_is_banned;

static struct spur_clock_instead instead;
static _Atomic int has_instead; /* 0 no, 1 it is being put there, 2 yes */

bool spur_clock_put_instead(const struct spur_clock_instead *wanted)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&has_instead, &none, 1))
        return false;
    instead = *wanted;
    atomic_store(&has_instead, 2);
    return true;
}

void spur_clock_after_fork(void)
{
    int half = 1;
    atomic_compare_exchange_strong(&has_instead, &half, 0);
}

bool spur_clock_has_instead(void)
{
    return atomic_load_explicit(&has_instead, memory_order_acquire) == 2;
}

bool spur_clock_counts_ns(void)
{
    return !spur_clock_is_tsc && !spur_clock_has_instead();
}

uint64_t spur_clock_called(void)
{
    uint64_t now = spur_clock_monotonic();
    if (!spur_clock_has_instead())
        return now;
    return instead.ticks +
           (uint64_t)(int64_t)((double)(int64_t)(now - instead.monotonic) * instead.rate);
}
