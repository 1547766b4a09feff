/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/file_signal.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel's own set of signals: libc's is larger, and its functions may be wrapped. */
static const uint64_t signal_bit = (uint64_t)1 << (SIGXFSZ - 1);

void spur_file_signal_hold(struct spur_hold_signal *hold)
{
    int saved = errno;
    uint64_t pending = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signal_bit, &hold->mask, sizeof signal_bit);
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    hold->was_pending = pending & signal_bit;
    errno = saved;
}

void spur_file_signal_release(const struct spur_hold_signal *hold)
{
    int saved = errno;
    const struct timespec at_once = {0, 0};
    uint64_t pending = 0;
    syscall(SYS_rt_sigpending, &pending, sizeof pending);
    if (!hold->was_pending && (pending & signal_bit))
        syscall(SYS_rt_sigtimedwait, &signal_bit, NULL, &at_once, sizeof signal_bit);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &hold->mask, NULL, sizeof signal_bit);
    errno = saved;
}
