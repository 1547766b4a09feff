/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of host_safety.c: the recorded calls, the lines of output, and the modes about signals. */
#ifndef TESTS_HOST_SAFETY_SIGNALS_H
#define TESTS_HOST_SAFETY_SIGNALS_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void work(int pairs)
{
    for (int i = 0; i < pairs; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

/* More than a small buffer holds, so that events have to go somewhere. */
static void work_much(void)
{
    work(6000);
}

static int say(const char *what, long value)
{
    printf("%s %ld\n", what, value);
    return 0;
}

static volatile sig_atomic_t caught;
static sem_t posts;

/* sem_post() is a traced function that a handler may call. */
static void on_signal(int number)
{
    (void)number;
    caught++;
    sem_post(&posts);
}

/* Every signal that can be caught: its action at start, one delivery, and blocked by nobody. */
static int handlers(void)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    for (int number = 1; number < NSIG; number++) {
        struct sigaction old, mine = {.sa_handler = on_signal};
        if (sigaction(number, NULL, &old) != 0)
            continue;
        if (number == SIGKILL || number == SIGSTOP)
            continue;
        int before = caught;
        printf("signal %d default %d blocked %d", number, old.sa_handler == SIG_DFL,
               sigismember(&blocked, number));
        sigaction(number, &mine, NULL);
        raise(number);
        sigaction(number, NULL, &old);
        printf(" caught %d mine %d\n", caught - before, old.sa_handler == on_signal);
        work(1);
    }
    return 0;
}

/* A profiler of the program's own. */
static int profiler(void)
{
    struct sigaction mine = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 4000}, {0, 4000}}, rest;
    sigaction(SIGPROF, &mine, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
    volatile long spent = 0;
    while (caught < 5)
        if (++spent % 100000 == 0)
            work(1);
    getitimer(ITIMER_PROF, &rest);
    memset(&every, 0, sizeof every);
    say("interval", rest.it_interval.tv_usec / 1000);
    return setitimer(ITIMER_PROF, &every, NULL);
}

static sigjmp_buf back;

static void on_overflow(int number)
{
    (void)number;
    sem_post(&posts);
    siglongjmp(back, 1);
}

static __attribute__((noinline)) int sink_in(volatile int depth)
{
    volatile char frame[512];
    memset((char *)frame, depth, sizeof frame);
    return depth < 0 ? 0 : sink_in(depth + 1) + frame[0];
}

/* The stack overflows. The handler, on an alternate stack, gets the program out of the fault. */
static int alternate_stack(void)
{
    static char memory[64 << 10];
    stack_t mine = {.ss_sp = memory, .ss_size = sizeof memory}, seen;
    struct sigaction action = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
    struct rlimit small = {1 << 20, 1 << 20};
    setrlimit(RLIMIT_STACK, &small);
    sigaltstack(&mine, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (int i = 0; i < 3; i++)
        if (sigsetjmp(back, 1) == 0)
            sink_in(0);
    sigaltstack(NULL, &seen);
    say("stack is mine", seen.ss_sp == memory);
    return 0;
}

static void *take_signals(void *argument)
{
    const sigset_t *all = argument;
    int number = 0;
    sigwait(all, &number);
    say("waited for", number);
    return NULL;
}

/* All signals are blocked in all threads; a thread waits for some, a descriptor for the rest. */
static int blocked_signals(void)
{
    sigset_t all, seen;
    pthread_t thread;
    struct signalfd_siginfo info;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pthread_sigmask(SIG_BLOCK, NULL, &seen);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&seen, number) != 1)
            printf("not blocked: %d\n", number);
    pthread_create(&thread, NULL, take_signals, &all);
    pthread_kill(thread, SIGUSR2);
    pthread_join(thread, NULL);
    int fd = signalfd(-1, &all, 0);
    raise(SIGALRM);
    for (int i = 0; i < 20; i++)
        work(500); /* a profiler's signals would be found by the read */
    say("read", read(fd, &info, sizeof info) == sizeof info ? (long)info.ssi_signo : -1);
    sigpending(&seen);
    for (int number = 1; number < NSIG; number++)
        if (sigismember(&seen, number) == 1)
            printf("pending: %d\n", number);
    return close(fd);
}

/* Calls that a signal could interrupt are not interrupted. */
static int no_interruption(void)
{
    struct timespec nap = {0, 20000000};
    int fd[2];
    char byte;
    if (pipe(fd) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        nanosleep(&nap, NULL);
        _exit(write(fd[1], "x", 1) != 1);
    }
    work_much();
    say("nanosleep", nanosleep(&nap, NULL));
    say("read", read(fd[0], &byte, 1));
    int status;
    say("waited", waitpid(child, &status, 0) == child && status == 0);
    return 0;
}

#endif
