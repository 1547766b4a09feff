/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/quiet.h"

#include <stdatomic.h>

#include "base/lock.h"
#include "base/raw_call.h"
#include "base/sharers.h"

_Thread_local uint32_t spur_locks_held;

static _Thread_local struct {
    uint32_t depth;
    bool is_blocked;
    uint64_t before; /* the mask, if it is */
} quiet;

static _Atomic bool is_sealed;

void spur_quiet_seal(void)
{
    atomic_store_explicit(&is_sealed, true, memory_order_relaxed);
}

/* Not through syscall(3), which is wrapped, and may not have been looked up yet. */
static bool set_mask(int how, uint64_t set, uint64_t *before)
{
    return spur_raw_call(SYS_rt_sigprocmask, how, (long)&set, (long)before, sizeof set, 0, 0) == 0;
}

/* Handlers that come before the mask is set do the same, and have ended it when they return. */
void spur_quiet_begin_but(uint64_t let_through)
{
    if (spur_is_sharer())
        return;
    if (quiet.depth == 0) {
        uint64_t before = 0;
        bool is_blocked = !atomic_load_explicit(&is_sealed, memory_order_relaxed) &&
                          set_mask(SIG_BLOCK, SPUR_QUIET_SIGNALS & ~let_through, &before);
        quiet.before = before;
        quiet.is_blocked = is_blocked;
    }
    quiet.depth++;
    atomic_signal_fence(memory_order_seq_cst);
}

void spur_quiet_begin(void)
{
    spur_quiet_begin_but(0);
}

void spur_quiet_end(void)
{
    if (spur_is_sharer())
        return;
    const uint64_t before = quiet.before;
    atomic_signal_fence(memory_order_seq_cst);
    if (--quiet.depth == 0 && quiet.is_blocked)
        (void)set_mask(SIG_SETMASK, before, NULL);
}

bool spur_is_quiet(void)
{
    return quiet.depth > 0 && !spur_is_sharer();
}

bool spur_quiet_mask(uint64_t *mask)
{
    *mask = quiet.before;
    return quiet.depth && quiet.is_blocked && !spur_is_sharer();
}

void spur_quiet_forget(void)
{
    quiet.depth = 0;
}

/* The C library's own signals are open in all threads, even if the creator is being cancelled. */
void spur_quiet_born(uint64_t mask)
{
    const uint64_t internal = SPUR_SIGNAL_BIT(32) | SPUR_SIGNAL_BIT(33);
    quiet.before = mask & ~internal;
    quiet.is_blocked = true;
    quiet.depth = 1;
}

uint64_t spur_quiet_change(int how, uint64_t set)
{
    uint64_t before = 0;
    if (!quiet.depth || !quiet.is_blocked || spur_is_sharer()) {
        (void)set_mask(how, set, &before);
        return before;
    }
    before = quiet.before;
    quiet.before = how == SIG_BLOCK ? before | set : before & ~set;
    return before;
}
