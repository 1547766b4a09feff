/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/sampling/sample_signal.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/sampling/held_back.h"
#include "agent/spur_agent.h"
#include "agent/state/settings.h"
#include "base/lock.h"

static spur_real_sigaction real_sigaction;
static _Atomic int taken; /* the signal, 0: none */

/* The program's own action; the handler reads it without the lock. */
static struct spur_lock lock;
static struct sigaction action;
static _Atomic int action_flags;
static _Atomic(void (*)(int, siginfo_t *, void *)) action_handler;

/* The thread believes that it has blocked the signal. */
static _Thread_local bool is_blocked;

void spur_sample_signal_after_fork(void)
{
    spur_lock_reset(&lock);
}

int spur_signal_taken(void)
{
    return atomic_load_explicit(&taken, memory_order_relaxed);
}

static bool is_handler(const struct sigaction *a)
{
    return a->sa_flags & SA_SIGINFO || (a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN);
}

/* With the lock, or before there is anybody else. */
static void remember(const struct sigaction *new)
{
    action = *new;
    atomic_store_explicit(&action_handler, NULL, memory_order_relaxed);
    atomic_store_explicit(&action_flags, new->sa_flags, memory_order_release);
    if (is_handler(new))
        atomic_store_explicit(&action_handler, new->sa_sigaction, memory_order_release);
}

bool spur_sample_take_signal(void (*handler)(int, siginfo_t *, void *))
{
    void *found = spur_real("sigaction", NULL);
    memcpy(&real_sigaction, &found, sizeof found); /* ISO C knows no cast from data to function */
    struct sigaction ours, before;
    int signal = spur_settings.sample_signal;
    memset(&ours, 0, sizeof ours);
    ours.sa_sigaction = handler;
    ours.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&ours.sa_mask);
    if (!real_sigaction || real_sigaction(signal, NULL, &before) < 0)
        return false;
    remember(&before);
    if (real_sigaction(signal, &ours, NULL) < 0)
        return false;
    atomic_store_explicit(&taken, signal, memory_order_release);
    spur_held_back_add(signal, real_sigaction);
    return true;
}

void spur_signal_action(const struct sigaction *new, struct sigaction *old)
{
    struct sigaction copy;
    if (new)
        copy = *new;
    spur_lock_take(&lock);
    if (old)
        *old = action;
    if (new)
        remember(&copy);
    spur_lock_give(&lock);
}

/* ---- masks ---- */

void spur_sample_unblock(void)
{
    if (spur_held_back_unblock(spur_signal_taken()))
        is_blocked = true;
}

bool spur_signal_blocks(void)
{
    return is_blocked;
}

void spur_signal_block(bool blocks)
{
    is_blocked = blocks;
}

/* ---- those of others ---- */

/* What the signal would have done without us. */
static void do_default(int signal)
{
    struct sigaction original;
    memset(&original, 0, sizeof original);
    original.sa_handler = SIG_DFL;
    if (signal != SIGURG && signal != SIGWINCH && real_sigaction(signal, &original, NULL) == 0)
        syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal); /* once the handler is over */
}

void spur_sample_pass_on(int signal, siginfo_t *info, void *context)
{
    void (*handler)(int, siginfo_t *, void *) =
        atomic_load_explicit(&action_handler, memory_order_acquire);
    unsigned flags = (unsigned)atomic_load_explicit(&action_flags, memory_order_relaxed);
    if (!handler) {
        if (!spur_locks_held && action.sa_handler == SIG_DFL)
            do_default(signal);
        return;
    }
    if (flags & (unsigned)SA_RESETHAND) {
        atomic_store_explicit(&action_handler, NULL, memory_order_relaxed);
        action.sa_handler = SIG_DFL;
    }
    handler(signal, info, context); /* without SA_SIGINFO it does not look at the last two */
}
