/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/process/snapshot_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/sampling/held_back.h"
#include "base/helper.h"
#include "base/raw_file.h"

enum { STACK_BYTES = 16 << 10 };

static char program[SPUR_FILE_PATH_BYTES];
static char pid_text[16];
static char *const arguments[] = {program, pid_text, NULL};
static char *const environment[] = {NULL};
static _Alignas(16) char stacks[2][STACK_BYTES];
static atomic_flag is_busy = ATOMIC_FLAG_INIT;

/* Both children run in the memory of the program, with its signals blocked: system calls only. */
static int become(void *unused)
{
    (void)unused;
    long null = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
    const uint64_t none = 0;
    if (null >= 0) {
        syscall(SYS_dup3, null, STDIN_FILENO, 0);
        syscall(SYS_dup3, null, STDOUT_FILENO, 0);
    }
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none);
    syscall(SYS_execve, program, arguments, environment);
    syscall(SYS_exit_group, 127);
    return 0;
}

/* Ends at once, so that nobody has to wait for the program, and the traced one gets no SIGCHLD. */
static int start_and_leave(void *unused)
{
    (void)clone(become, stacks[1] + STACK_BYTES, CLONE_VM | CLONE_VFORK | SIGCHLD, unused);
    syscall(SYS_exit_group, 0);
    return 0;
}

static void write_pid(void)
{
    char digits[sizeof pid_text];
    int n = 0, at = 0;
    for (long pid = syscall(SYS_getpid); pid; pid /= 10)
        digits[n++] = (char)('0' + pid % 10);
    while (n)
        pid_text[at++] = digits[--n];
    pid_text[at] = '\0';
}

static void on_signal(int sig)
{
    (void)sig;
    const uint64_t all = UINT64_MAX;
    uint64_t before;
    int saved = errno;
    if (atomic_flag_test_and_set(&is_busy))
        return;
    write_pid();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, sizeof all);
    pid_t pid = clone(start_and_leave, stacks[0] + STACK_BYTES, CLONE_VM | CLONE_VFORK, NULL);
    long ended = -1;
    do
        ended = pid > 0 ? syscall(SYS_wait4, pid, NULL, __WALL, NULL) : 0;
    while (ended < 0 && errno == EINTR);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    atomic_flag_clear(&is_busy);
    errno = saved;
}

void spur_snapshot_signal(void)
{
    struct sigaction old;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK};
    if (sigaction(SIGUSR2, NULL, &old) != 0 || old.sa_handler != SIG_DFL ||
        spur_helper_find("spur-snapshot", program, sizeof program) != 0)
        return;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR2, &action, NULL);
    spur_held_back_add(SIGUSR2, sigaction);
}
