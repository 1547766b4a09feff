/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file_signal.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/quiet.h"

static const uint64_t signals = UINT64_C(1) << (SIGXFSZ - 1) | UINT64_C(1) << (SIGPIPE - 1);

static uint64_t pending(void)
{
    uint64_t set = 0;
    syscall(SYS_rt_sigpending, &set, sizeof set);
    return set & signals;
}

void spur_file_signal_hold(struct spur_hold_signal *hold)
{
    int saved = errno;
    hold->was_blocked = spur_quiet_change(SIG_BLOCK, signals) & signals;
    hold->was_pending = pending();
    errno = saved;
}

void spur_file_signal_release(const struct spur_hold_signal *hold)
{
    int saved = errno;
    const struct timespec at_once = {0, 0};
    const uint64_t ours = pending() & ~hold->was_pending;
    if (ours)
        syscall(SYS_rt_sigtimedwait, &ours, NULL, &at_once, sizeof ours);
    if (hold->was_blocked != signals)
        (void)spur_quiet_change(SIG_UNBLOCK, signals & ~hold->was_blocked);
    errno = saved;
}
