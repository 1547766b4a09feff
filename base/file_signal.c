/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/file_signal.h"

#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/own_stack.h"
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

/* The kernel signs for a write with the process's own number. */
static bool is_of_write(const siginfo_t *info)
{
    return info->si_code == SI_USER && info->si_pid == (pid_t)syscall(SYS_getpid);
}

/* A signal from elsewhere is pending as before: for the thread, or for the process. */
static void give_back(int signal, const siginfo_t *info)
{
    const long pid = syscall(SYS_getpid);
    if (info->si_code == SI_TKILL)
        syscall(SYS_rt_tgsigqueueinfo, pid, syscall(SYS_gettid), signal, info);
    else
        syscall(SYS_rt_sigqueueinfo, pid, signal, info);
}

/* A signal of the thread itself, as that of a write, is taken before a signal of the process. */
static void take(void *set)
{
    const struct timespec at_once = {0, 0};
    siginfo_t info;
    for (uint64_t rest = *(uint64_t *)set; rest; rest &= rest - 1) {
        const uint64_t one = rest & -rest;
        const long signal = syscall(SYS_rt_sigtimedwait, &one, &info, &at_once, sizeof one);
        if (signal > 0 && !is_of_write(&info))
            give_back((int)signal, &info);
    }
}

void spur_file_signal_release(const struct spur_hold_signal *hold)
{
    int saved = errno;
    uint64_t new = pending() & ~hold->was_pending;
    if (new)
        spur_on_own_stack(take, &new);
    if (hold->was_blocked != signals)
        (void)spur_quiet_change(SIG_UNBLOCK, signals & ~hold->was_blocked);
    errno = saved;
}
