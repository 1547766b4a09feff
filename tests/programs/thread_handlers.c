/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handlers of signals at any instruction: `thread_handlers HOW SEED`. The main thread gives itself
 * names and makes and takes locks, all to be noted down by a tracer, while further threads
 * begin and end. Its signal comes at moments drawn from SEED, and the handler
 *   _exit, quick_exit, exec, abort     ends the process by a call of the name
 *   late     the same by _exit, when more threads work for the tracer, too
 *   sent     the same, by a signal that instructions raise, sent by the program here
 *   thread   ends a thread with the same work, by pthread_exit
 *   jump     leaves by siglongjmp, many times
 *   fork     makes a child that goes on for a while and ends, many times
 *   park     stays for ever, in many threads, before the process returns
 *   steps    ends threads that lock and unlock, by pthread_exit: each a few instructions later than
 *            the thread before, until a thread comes to the end (x86-64)
 * The status is 42, or SIGABRT.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

enum { STATUS = 42, STATUS_SHIFT = 8, TIMES = 40, ENDED = 30, PARKED = 48, PARTNERS = 2 };
enum { WARM_ROUNDS = 20, CHILD_ROUNDS = 30, LATEST_US = 2000, LOCKS = 64, NAME = 16 };

static const char *how;
static unsigned seed;
static sigjmp_buf back;
static volatile sig_atomic_t times, is_child;
static _Atomic int begun, parked, is_over;

static unsigned draw(unsigned below)
{
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % below;
}

/* Neither a jump out of work() nor a child that goes on with work() does harm. */
static void work(unsigned round)
{
    static _Thread_local pthread_mutex_t lock[LOCKS];
    char name[NAME] = "name ";
    pthread_mutex_t *mutex = &lock[round % LOCKS];
    for (int i = 5; i < NAME - 1; i++, round /= 10)
        name[i] = (char)('0' + round % 10);
    pthread_setname_np(pthread_self(), name);
    pthread_mutex_init(mutex, NULL);
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    pthread_mutex_destroy(mutex);
}

static void be_child(void)
{
    for (unsigned i = 0; i < CHILD_ROUNDS; i++)
        work(i);
    _exit(STATUS);
}

static void make_child(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        is_child = 1;
        return;
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    if (status != STATUS << STATUS_SHIFT)
        _exit(1);
}

/* Once: a handler may take longer than the time to the next signal. */
static void set_timer(void)
{
    const struct itimerval timer = {.it_value.tv_usec = 1 + (long)draw(LATEST_US)};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void handle(int signal)
{
    (void)signal;
    times++;
    if (strcmp(how, "fork") == 0)
        make_child();
    if (times < TIMES && !is_child && strcmp(how, "thread") != 0)
        set_timer();
    if (strcmp(how, "_exit") == 0 || strcmp(how, "late") == 0 || strcmp(how, "sent") == 0)
        _exit(STATUS);
    if (strcmp(how, "quick_exit") == 0)
        quick_exit(STATUS);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "exec") == 0)
        execl("/bin/sh", "sh", "-c", "exit 42", (char *)NULL);
    if (strcmp(how, "thread") == 0)
        pthread_exit(NULL);
    if (strcmp(how, "jump") == 0)
        siglongjmp(back, 1);
}

static void stay(int signal)
{
    (void)signal;
    atomic_fetch_add(&parked, 1);
    for (;;)
        pause();
}

/* ---- further threads ---- */

static void *come_and_go(void *unused)
{
    work(0);
    return unused;
}

static void *keep_making(void *unused)
{
    for (unsigned i = 0; !is_over; i++) {
        char name[NAME];
        pthread_t thread;
        if (pthread_create(&thread, NULL, come_and_go, NULL) != 0)
            continue;
        snprintf(name, sizeof name, "made %u", i);
        pthread_setname_np(thread, name);
        pthread_join(thread, NULL);
    }
    return unused;
}

static void *lock_for_ever(void *unused)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (bool is_first = true;; is_first = false) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        if (is_first)
            atomic_fetch_add(&begun, 1);
    }
    return unused;
}

static void *work_for_ever(void *unused)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    for (unsigned i = 0;; i++)
        work(i);
    return unused;
}

static pthread_t start(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    EXPECT(pthread_create(&thread, NULL, function, argument) == 0);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return thread;
}

static void *send_fault(void *thread)
{
    usleep(draw(LATEST_US));
    pthread_kill(*(const pthread_t *)thread, SIGSEGV);
    return NULL;
}

/* ---- the ways ---- */

static int park(void)
{
    signal(SIGUSR1, stay);
    for (int i = 0; i < PARKED; i++) {
        pthread_t thread = start(lock_for_ever, NULL);
        while (atomic_load(&begun) <= i)
            usleep(LATEST_US / 4);
        usleep(draw(LATEST_US / 4));
        pthread_kill(thread, SIGUSR1);
    }
    while (atomic_load(&parked) < PARKED)
        usleep(LATEST_US);
    return STATUS;
}

static int end_threads(void)
{
    for (int i = 0; i < ENDED; i++) {
        pthread_t thread = start(work_for_ever, NULL);
        usleep(draw(LATEST_US));
        pthread_kill(thread, SIGALRM);
        pthread_join(thread, NULL);
    }
    return STATUS;
}

/* ---- at each instruction ---- */

static _Thread_local volatile sig_atomic_t left; /* instructions until the thread ends; 0: no end */
static _Atomic int comes_to_end;

/* Where signals are blocked, a timer's signal would come later: so does the end. */
static void step(int signal, siginfo_t *info, void *context)
{
    ucontext_t *interrupted = context;
    (void)signal, (void)info;
#ifdef __x86_64__
    const greg_t trap = 0x100; /* behind each instruction */
    greg_t *flags = &interrupted->uc_mcontext.gregs[REG_EFL];
    *flags = left ? *flags | trap : *flags & ~trap;
#endif
    if (left == 0 || --left > 0)
        return;
    left = 1;
    if (!sigismember(&interrupted->uc_sigmask, SIGUSR1))
        pthread_exit(NULL);
}

static void *be_stepped(void *instructions)
{
    static _Thread_local pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, NULL);
    for (int i = 0; i < 2; i++) {
        left = i ? *(const int *)instructions : 0;
#ifdef __x86_64__
        __asm__ volatile("int3" ::: "memory");
#endif
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        left = 0;
    }
    pthread_mutex_destroy(&mutex);
    comes_to_end = 1;
    return NULL;
}

static int step_through(int stride)
{
    const struct sigaction action = {.sa_sigaction = step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    int instructions = 1 + (int)draw((unsigned)stride);
    for (; !comes_to_end; instructions += stride) {
        pthread_t thread = start(be_stepped, &instructions);
        pthread_join(thread, NULL);
    }
    return STATUS;
}

static int be_interrupted(void)
{
    static unsigned round;
    for (; round < WARM_ROUNDS; round++)
        work(round);
    static pthread_t self;
    self = pthread_self();
    bool is_first = sigsetjmp(back, 1) == 0;
    if (is_first && strcmp(how, "sent") == 0)
        (void)start(send_fault, &self);
    else if (is_first)
        set_timer();
    for (; times < TIMES && !is_child; round++)
        work(round);
    if (is_child)
        be_child();
    return STATUS;
}

int main(int argc, char **argv)
{
    how = argc > 1 ? argv[1] : "_exit";
    seed = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    if (strcmp(how, "park") == 0)
        return park();
    if (strcmp(how, "steps") == 0)
        return step_through(argc > 3 ? atoi(argv[3]) : 1);
    signal(SIGALRM, handle);
    signal(SIGSEGV, handle);
    pthread_t partner[PARTNERS];
    bool has_partners = strcmp(how, "_exit") != 0;
    for (int i = 0; has_partners && i < PARTNERS; i++)
        partner[i] = start(keep_making, NULL);
    int status = strcmp(how, "thread") == 0 ? end_threads() : be_interrupted();
    is_over = 1;
    for (int i = 0; has_partners && i < PARTNERS; i++)
        pthread_join(partner[i], NULL);
    return unexpected ? 1 : status;
}
