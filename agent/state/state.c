/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/state/state.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mapping.h"

static _Atomic uint32_t early_state = SPUR_UNBORN;
_Atomic uint32_t *spur_state = &early_state;

/* A page that fork() clears: the one sign of a child that no way of forking can avoid. */
bool spur_state_map(void)
{
    long bytes = sysconf(_SC_PAGESIZE);
    void *page = spur_map_anonymous((size_t)bytes);
    if (!page)
        return false;
    (void)madvise(page, (size_t)bytes, MADV_WIPEONFORK);
    spur_state = page;
    return true;
}

static bool change(uint32_t from, enum spur_state to)
{
    return atomic_compare_exchange_strong(spur_state, &from, to);
}

bool spur_state_begin(bool is_paused)
{
    return change(SPUR_ARMED, is_paused ? SPUR_PAUSED : SPUR_ON);
}

bool spur_state_pause(bool is_paused)
{
    return is_paused ? change(SPUR_ON, SPUR_PAUSED) : change(SPUR_PAUSED, SPUR_ON);
}

void spur_off(const char *why, ...)
{
    static _Atomic int said;
    va_list args;
    spur_off_silently();
    if (atomic_exchange(&said, 1))
        return;
    va_start(args, why);
    spur_vlog(why, args);
    va_end(args);
}

void spur_off_silently(void)
{
    if (spur_state_now() != SPUR_CHILD)
        spur_state_set(SPUR_OFF);
}
