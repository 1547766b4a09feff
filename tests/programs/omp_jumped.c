/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_jumped FIRST STRIDE: a handler jumps out of a call after FIRST instructions, STRIDE more, and
 * so on, each time in another child. Where the jump cuts a record short, the thread is not recorded
 * any more. The thread then makes tasks, of which another thread executes at least one.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { TRAP_FLAG = 0x100, LAST = 1000, TASKS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static volatile long left;
static sigjmp_buf out;
static atomic_int by_others;

/* Where the agent lets no signal through, a program cannot jump either. */
static void step(int sig, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    (void)sig, (void)info;
    if (left == 0 || (left == 1 && sigismember(&at->uc_sigmask, SIGUSR1)) || --left > 0)
        return;
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
#endif
    siglongjmp(out, 1);
}

static void call(long steps)
{
    left = steps;
#if defined(__x86_64__)
    __asm__ volatile("pushfq; orq $0x100,(%%rsp); popfq" ::: "memory", "cc");
#endif
    pthread_mutex_lock(&mutex);
#if defined(__x86_64__)
    __asm__ volatile("pushfq; andq $~0x100,(%%rsp); popfq" ::: "memory", "cc");
#endif
}

static void make_tasks(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        for (int i = 0; i < TASKS; i++) {
#pragma omp task
            by_others += omp_get_thread_num() != 0;
        }
        while (!by_others)
            sched_yield();
    }
}

static _Noreturn void work(long steps)
{
    pthread_mutex_lock(&other);
    pthread_mutex_unlock(&other);
    if (sigsetjmp(out, 1) == 0)
        call(steps);
    left = 0;
    make_tasks();
    exit(0);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    if (argc != 3)
        return 2;
    sigaction(SIGTRAP, &action, NULL);
    for (long steps = atol(argv[1]); steps <= LAST; steps += atol(argv[2])) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            work(steps);
        if (waitpid(child, &status, 0) != child || status != 0)
            return 3;
    }
    return 0;
}
