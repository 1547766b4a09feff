/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends without exit(), with kernels that nobody has waited for. Earlier kernels are given so early
 * that spur must have their records in any case. The last word says how:
 *
 *   _exit, _Exit, quick_exit   with status 7
 *   exec       becomes /bin/true, after an exec that fails
 *   handler    _exit() by a handler of SIGALRM during a call of CUDA
 *   flush      the same, by a handler that runs while CUPTI hands over records in the thread
 *   timer      the same, by a handler that may run anywhere
 *   abort      abort()
 *   term       SIGTERM
 *   killed     SIGKILL
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "fake_cuda.h"

enum { FIRST = 30, LAST = 20, STATUS = 7, EARLY_US = 1500000, DONE_US = 20000, TIMER_US = 30000 };
enum { ROUNDS = 500, ROUND_US = 2000 };

static volatile sig_atomic_t has_come;

static void note(int signal)
{
    (void)signal;
    has_come = 1;
}

static void leave(int signal)
{
    (void)signal;
    _exit(STATUS);
}

static void kernels(int n)
{
    for (int i = 0; i < n; i++)
        if (fake_launch(1, 32, 0, NULL, 10, "short") != 0)
            exit(2);
}

/* Threads unknown to the program take no signal of the program, and do not hold up a change of
 * ids. */
static void check_others(void)
{
    sigset_t user, pending;
    signal(SIGUSR1, note);
    sigemptyset(&user);
    sigaddset(&user, SIGUSR1);
    sigprocmask(SIG_BLOCK, &user, NULL);
    kill(getpid(), SIGUSR1);
    usleep(DONE_US);
    sigpending(&pending);
    if (has_come || !sigismember(&pending, SIGUSR1) || setgid(getgid()) != 0)
        exit(3);
}

static void call_the_handler(void *unused)
{
    (void)unused;
    raise(SIGALRM);
}

static void work_until_the_handler(const char *how)
{
    const struct itimerval soon = {{0, 0}, {0, TIMER_US}};
    signal(SIGALRM, leave);
    if (!strcmp(how, "handler"))
        cuLaunchHostFunc(NULL, call_the_handler, NULL);
    if (!strcmp(how, "timer"))
        setitimer(ITIMER_REAL, &soon, NULL);
    for (int i = 0; strcmp(how, "flush") || i < ROUNDS; i++) {
        kernels(1);
        if (!strcmp(how, "flush")) {
            cuCtxSynchronize();
            usleep(ROUND_US);
        }
    }
    _exit(STATUS); /* without a tool nobody asks for records */
}

static void end(const char *how)
{
    char *const words[] = {"true", NULL};
    if (!strcmp(how, "_exit"))
        _exit(STATUS);
    if (!strcmp(how, "_Exit"))
        _Exit(STATUS);
    if (!strcmp(how, "quick_exit"))
        quick_exit(STATUS);
    if (!strcmp(how, "handler") || !strcmp(how, "flush") || !strcmp(how, "timer"))
        work_until_the_handler(how);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "term"))
        raise(SIGTERM);
    if (!strcmp(how, "killed"))
        raise(SIGKILL);
    execv("/nonexistent", words);
    execv("/bin/true", words);
}

/* The agent does not see the end, or does nothing then. */
static int is_torn(const char *how)
{
    return !strcmp(how, "abort") || !strcmp(how, "term") || !strcmp(how, "killed");
}

int main(int argc, char **argv)
{
    CUcontext context;
    if (argc < 2 || cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0)
        return 2;
    kernels(FIRST);
    check_others();
    usleep(is_torn(argv[1]) ? EARLY_US : DONE_US);
    kernels(LAST);
    if (!is_torn(argv[1]))
        usleep(DONE_US);
    end(argv[1]);
    return 2;
}
