/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * thread_jumped lock|unlock anew|again|fork FIRST STRIDE: a handler jumps out of the call after
 * FIRST instructions, STRIDE more, and so on, each time in another thread. The lock then begins
 * anew, or goes on with no word of it, and is released more often than it is acquired. fork: in
 * place of a jump the handler makes a child. The child records in the handler, and goes on with the
 * call.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100, TOO_OFTEN = 4, LAST = 1000 };

static pthread_mutexattr_t checked;
static pthread_mutex_t mutex, other = PTHREAD_MUTEX_INITIALIZER;
static bool is_unlock, is_anew, is_fork, is_child;
static long steps;
static __thread sigjmp_buf out;
static __thread volatile long left;

static void take_and_give(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

static void make_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        is_child = true;
        take_and_give(&other);
        return;
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        abort();
}

/* Where the agent lets no signal through, which this one ignores, a program cannot jump either. */
static void step(int sig, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)sig, (void)info;
    if (left == 0 || (left == 1 && sigismember(&at->uc_sigmask, SIGUSR1)) || --left > 0)
        return;
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
#endif
    if (!is_fork)
        siglongjmp(out, 1);
    make_child();
}

static void set_stepping(bool on)
{
#if defined(__x86_64__)
    if (on)
        __asm__ volatile("pushfq; orq $0x100,(%%rsp); popfq" ::: "memory", "cc");
    else
        __asm__ volatile("pushfq; andq $~0x100,(%%rsp); popfq" ::: "memory", "cc");
#else
    (void)on;
#endif
}

static void call(void)
{
    left = steps;
    set_stepping(true);
    if (is_unlock)
        pthread_mutex_unlock(&mutex);
    else
        pthread_mutex_lock(&mutex);
    set_stepping(false);
    left = 0;
    if (!is_unlock)
        pthread_mutex_unlock(&mutex);
}

static void begin_again(void)
{
    const pthread_mutex_t free_one = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    if (is_anew)
        pthread_mutex_init(&mutex, &checked);
    else
        memcpy(&mutex, &free_one, sizeof mutex);
}

static void *work(void *unused)
{
    begin_again();
    take_and_give(&other);
    if (is_unlock)
        pthread_mutex_lock(&mutex);
    if (sigsetjmp(out, 1) == 0)
        call();
    left = 0;
    if (is_child)
        _exit(0);
    begin_again();
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < (is_fork ? 1 : TOO_OFTEN); i++)
        pthread_mutex_unlock(&mutex);
    return unused;
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    if (argc != 5)
        return 2;
    is_unlock = strcmp(argv[1], "unlock") == 0;
    is_fork = strcmp(argv[2], "fork") == 0;
    is_anew = is_fork || strcmp(argv[2], "anew") == 0;
    pthread_mutexattr_init(&checked);
    if (!is_fork) /* the child's thread is not the owner */
        pthread_mutexattr_settype(&checked, PTHREAD_MUTEX_ERRORCHECK);
    sigaction(SIGTRAP, &action, NULL);
    for (steps = atol(argv[3]); steps <= LAST; steps += atol(argv[4])) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, work, NULL) != 0)
            abort();
        pthread_join(thread, NULL);
    }
    return 0;
}
