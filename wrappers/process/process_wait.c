/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * wait() and its kin. Only the waiting process learns how a killed process ended, so the waiting
 * process leaves a note if the killed process was recording. Called by signal handlers, and in
 * processes that record nothing themselves: shells, launchers of MPI jobs.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "wrappers/process/process_real.h"

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved in the headers */

/*
 * Waiting alone does not make a process recorded. The end of a child does, no matter which call
 * made the child.
 */
static void note_end(pid_t pid, int status)
{
    spur_child_ended(pid, status);
    if (!spur_process_is_shown())
        spur_process_show();
}

/* All calls except waitid() are wait4(), in the C library as well. */
static pid_t wait_for(enum process_call_id id, pid_t pid, int *status, int options,
                      struct rusage *usage)
{
    int own = 0;
    int *seen = status ? status : &own;
    PROCESS_FRAME(frame, id, spur_process_is_shown());
    pid_t ended = PROCESS_REAL(wait4)(pid, seen, options, usage);
    if (ended > 0)
        note_end(ended, *seen);
    return ended;
}

SPUR_EXPORT pid_t wait(int *status)
{
    return wait_for(PROCESS_wait, -1, status, 0, NULL);
}

SPUR_EXPORT pid_t waitpid(pid_t pid, int *status, int options)
{
    return wait_for(PROCESS_waitpid, pid, status, options, NULL);
}

SPUR_EXPORT pid_t wait3(int *status, int options, struct rusage *usage)
{
    return wait_for(PROCESS_wait3, -1, status, options, usage);
}

SPUR_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    return wait_for(PROCESS_wait4, pid, status, options, usage);
}

/* The status in the form of wait4(). */
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
    PROCESS_FRAME(frame, PROCESS_waitid, spur_process_is_shown());
    int ret = PROCESS_REAL(waitid)(type, id, seen, options);
    if (ret == 0 && seen->si_pid > 0 && has_ended(seen))
        note_end(seen->si_pid, status_of(seen));
    return ret;
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
