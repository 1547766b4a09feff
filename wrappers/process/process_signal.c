/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signal that takes samples stays usable for the program. The agent keeps the program's action
 * for the signal, and lets the signal through where the program blocks all signals. The signals of
 * crashes are the program's as well: the program never sees the agent's handler in the place of the
 * default action. All other signals pass by untouched. While nothing is recorded, all signals pass
 * by untouched. All functions here may be called by a signal handler.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "wrappers/kit/wrapper.h"

#define SIGNAL_CALLS(CALL)                                                                         \
    CALL(sigaction, int, (int, const struct sigaction *, struct sigaction *))                      \
    CALL(signal, sighandler_t, (int, sighandler_t))                                                \
    CALL(ssignal, sighandler_t, (int, sighandler_t))                                               \
    CALL(sysv_signal, sighandler_t, (int, sighandler_t))                                           \
    CALL(__sysv_signal, sighandler_t, (int, sighandler_t))                                         \
    CALL(sigset, sighandler_t, (int, sighandler_t))                                                \
    CALL(raise, int, (int))                                                                        \
    CALL(kill, int, (pid_t, int))                                                                  \
    CALL(sigprocmask, int, (int, const sigset_t *, sigset_t *))                                    \
    CALL(pthread_sigmask, int, (int, const sigset_t *, sigset_t *))                                \
    CALL(sigwait, int, (const sigset_t *, int *))                                                  \
    CALL(sigwaitinfo, int, (const sigset_t *, siginfo_t *))                                        \
    CALL(sigtimedwait, int, (const sigset_t *, siginfo_t *, const struct timespec *))              \
    CALL(swapcontext, int, (ucontext_t *, ucontext_t *))                                           \
    CALL(setcontext, int, (ucontext_t *))

/*
 * A look-up takes the loader's lock, so look-ups are made early; before the look-ups there are no
 * samples.
 */
SIGNAL_CALLS(WRAPPER_FIND)

__attribute__((constructor)) static void start(void)
{
    spur_quiet_begin(); /* once for all: each look-up would change the mask twice */
    SIGNAL_CALLS(WRAPPER_FIND_EARLY)
    spur_quiet_end();
    spur_crash_start(find_sigaction());
}

/*
 * The parameters have names of spur's own from here on: the names in the C library's headers are
 * reserved.
 * NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
 */
SPUR_EXPORT int sigaction(int number, const struct sigaction *action, struct sigaction *old)
{
    if (action)
        spur_signal_is_taken(number, find_sigaction());
    if (spur_crash_watches(number))
        return spur_signal_set_action(spur_crash_action, number, action, old);
    if (number != spur_signal_taken() || number == 0)
        return spur_signal_set_action(find_sigaction(), number, action, old);
    spur_signal_action(action, old);
    return 0;
}

typedef sighandler_t (*handler_call)(int, sighandler_t);

/* For functions that take a handler and return the last handler. */
static sighandler_t set_handler(handler_call real, int number, sighandler_t handler)
{
    spur_signal_is_taken(number, find_sigaction());
    sighandler_t old = real(number, handler);
    if (!spur_crash_watches(number))
        return old;
    if (handler == SIG_DFL)
        spur_crash_rearm(number);
    return spur_crash_shown(old);
}

/* The same as in the C library: the handler stays, and calls go on. */
SPUR_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
    struct sigaction action, old;
    if (number != spur_signal_taken() || number == 0)
        return set_handler(find_signal(), number, handler);
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    sigaddset(&action.sa_mask, number);
    spur_signal_action(&action, &old);
    return old.sa_handler;
}

SPUR_EXPORT sighandler_t ssignal(int number, sighandler_t handler)
{
    return set_handler(find_ssignal(), number, handler);
}

SPUR_EXPORT sighandler_t sysv_signal(int number, sighandler_t handler)
{
    return set_handler(find_sysv_signal(), number, handler);
}

SPUR_EXPORT sighandler_t __sysv_signal(int number, sighandler_t handler)
{
    return set_handler(find___sysv_signal(), number, handler);
}

SPUR_EXPORT sighandler_t sigset(int number, sighandler_t disposition)
{
    return set_handler(find_sigset(), number, disposition);
}

/* ---- signals from the program to itself ---- */

/* A handler with SA_RESETHAND may raise its signal once more, and has the default action then. */
SPUR_EXPORT int raise(int number)
{
    if (__builtin_expect(!spur_crash_watches(number), 1))
        return find_raise()(number);
    spur_crash_sends(number);
    int ret = find_raise()(number);
    spur_crash_rearm(number);
    return ret;
}

SPUR_EXPORT int kill(pid_t pid, int number)
{
    if (__builtin_expect(!spur_crash_watches(number) || pid != getpid(), 1))
        return find_kill()(pid, number);
    spur_crash_sends(number);
    int ret = find_kill()(pid, number);
    spur_crash_rearm(number);
    return ret;
}

/* ---- masks ---- */

/* All signals, or nearly so: also signals that nobody ever sends. */
static bool means_all(int signal, const sigset_t *set)
{
    return sigismember(set, signal) == 1 && sigismember(set, SIGSTKFLT) == 1 &&
           sigismember(set, SIGPWR) == 1 && sigismember(set, SIGURG) == 1;
}

/*
 * `set` without the signal of samples, if `set` means all signals, or if the thread believes to
 * have the signal in its mask already; else `set` itself. A program that names the signal uses the
 * signal, and gets the mask asked for, though without samples meanwhile.
 */
static const sigset_t *without(int signal, const sigset_t *set, sigset_t *room)
{
    if (!set || sigismember(set, signal) != 1 || !(means_all(signal, set) || spur_signal_blocks()))
        return set;
    *room = *set;
    sigdelset(room, signal);
    return room;
}

typedef int (*mask_call)(int, const sigset_t *, sigset_t *);

/*
 * Signals that a handler holds back stay held back, whatever the program does to its mask
 * meanwhile.
 */
static const sigset_t *with_held(uint64_t held, int how, const sigset_t *set, sigset_t *room)
{
    if (!held || !set || how == SIG_BLOCK)
        return set;
    *room = *set;
    spur_signal_set_word(room, how == SIG_UNBLOCK ? spur_signal_word(set) & ~held
                                                  : spur_signal_word(set) | held);
    return room;
}

/*
 * The thread's belief about the signal of samples, after a change; `is_kept`: the change was not
 * made.
 */
static void believe(int signal, int how, const uint64_t *asked, bool is_kept)
{
    if (is_kept)
        spur_signal_block(true);
    else if (asked && (how == SIG_SETMASK || *asked & SPUR_SIGNAL_BIT(signal)))
        spur_signal_block(false);
}

static int set_mask(mask_call real, int how, const sigset_t *set, sigset_t *old)
{
    sigset_t room, more;
    if (!spur_signal_is_any() || spur_is_quiet())
        return real(how, set, old);
    const int signal = spur_signal_taken();
    const uint64_t of_samples = signal ? SPUR_SIGNAL_BIT(signal) : 0;
    const uint64_t blocked = signal && spur_signal_blocks() ? of_samples : 0;
    const uint64_t held = spur_signal_held();
    /* Before the call: `old` may be the same set. */
    const uint64_t asked = set ? spur_signal_word(set) : 0;
    const sigset_t *let_through = how == SIG_UNBLOCK || !signal ? set : without(signal, set, &room);
    const bool is_kept = let_through != set;
    const int ret = real(how, with_held(held, how, let_through, &more), old);
    if (ret != 0)
        return ret;
    if (old)
        spur_signal_set_word(old, (spur_signal_word(old) & ~held) | blocked);
    if (signal)
        believe(signal, how, set ? &asked : NULL, is_kept);
    if (set)
        spur_signal_named(how, is_kept ? asked & ~of_samples : asked);
    return ret;
}

SPUR_EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
    return set_mask(find_sigprocmask(), how, set, old);
}

SPUR_EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
    return set_mask(find_pthread_sigmask(), how, set, old);
}

/* ---- other stacks ---- */

/* The mask of the context is changed: the declaration says so. */
SPUR_EXPORT int process_swapcontext(ucontext_t *from, ucontext_t *to) __asm__("swapcontext");
int process_swapcontext(ucontext_t *from, ucontext_t *to)
{
    spur_signal_moves(&to->uc_sigmask);
    return find_swapcontext()(from, to);
}

SPUR_EXPORT int process_setcontext(ucontext_t *to) __asm__("setcontext");
int process_setcontext(ucontext_t *to)
{
    spur_signal_moves(&to->uc_sigmask);
    return find_setcontext()(to);
}

/* ---- waits: the program never waits for a sample ---- */

static const sigset_t *awaited(const sigset_t *set, sigset_t *room)
{
    int signal = spur_signal_taken();
    return signal ? without(signal, set, room) : set;
}

SPUR_EXPORT int sigwait(const sigset_t *set, int *number)
{
    sigset_t room;
    return find_sigwait()(awaited(set, &room), number);
}

SPUR_EXPORT int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
    sigset_t room;
    return find_sigwaitinfo()(awaited(set, &room), info);
}

SPUR_EXPORT int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *limit)
{
    sigset_t room;
    return find_sigtimedwait()(awaited(set, &room), info, limit);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
