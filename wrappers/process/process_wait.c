/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait() and its kin: the one that waits is the only one to learn how a process ended that was
 * killed, so it leaves a note if the process was one that records. Called by signal handlers, and
 * in processes that record nothing themselves: shells, launchers of MPI jobs.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/spur_agent.h"

typedef pid_t (*wait4_function)(pid_t, int *, int, struct rusage *);
typedef int (*waitid_function)(idtype_t, id_t, siginfo_t *, int);

static _Atomic wait4_function real_wait4;
static _Atomic waitid_function real_waitid;

/* Where the C library's cannot be found; they differ in that they are no cancellation points. */
static pid_t call_wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return (pid_t)syscall(SYS_wait4, pid, status, options, usage);
}

static int call_waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    return (int)syscall(SYS_waitid, type, id, info, options, NULL);
}

/* Early: the look-up takes the loader's lock, which a signal handler must not wait for. */
__attribute__((constructor)) static void start(void)
{
    wait4_function wait4_found = call_wait4;
    waitid_function waitid_found = call_waitid;
    void *address = spur_real("wait4", NULL);
    if (address)
        memcpy(&wait4_found, &address, sizeof address); /* ISO C knows no cast to function */
    address = spur_real("waitid", NULL);
    if (address)
        memcpy(&waitid_found, &address, sizeof address);
    atomic_store_explicit(&real_waitid, waitid_found, memory_order_relaxed);
    atomic_store_explicit(&real_wait4, wait4_found, memory_order_relaxed);
}

/* All but waitid() are this one, in the C library as well. */
static pid_t wait_for(pid_t pid, int *status, int options, struct rusage *usage)
{
    int own = 0;
    int *seen = status ? status : &own;
    wait4_function real = atomic_load_explicit(&real_wait4, memory_order_relaxed);
    pid_t ended = (real ? real : call_wait4)(pid, seen, options, usage);
    if (ended > 0)
        spur_child_ended(ended, *seen);
    return ended;
}

SPUR_EXPORT pid_t wait(int *status)
{
    return wait_for(-1, status, 0, NULL);
}

SPUR_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return wait_for(pid, status, options, NULL);
}

SPUR_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait_for(-1, status, options, usage);
}

SPUR_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return wait_for(pid, status, options, usage);
}

/* The status as the others give it. */
static int status_of(const siginfo_t *info)
{
    enum { EXIT_SHIFT = 8 };
    return info->si_code == CLD_EXITED   ? (info->si_status & UINT8_MAX) << EXIT_SHIFT
           : info->si_code == CLD_DUMPED ? info->si_status | WCOREFLAG
                                         : info->si_status;
}

static bool has_ended(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED || info->si_code == CLD_KILLED ||
           info->si_code == CLD_DUMPED;
}

SPUR_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    siginfo_t own = {.si_pid = 0};
    siginfo_t *seen = info ? info : &own;
    waitid_function real = atomic_load_explicit(&real_waitid, memory_order_relaxed);
    int ret = (real ? real : call_waitid)(type, id, seen, options);
    if (ret == 0 && seen->si_pid > 0 && has_ended(seen))
        spur_child_ended(seen->si_pid, status_of(seen));
    return ret;
}
