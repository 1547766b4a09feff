/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals: handlers with scripts of their own on alternate stacks, jumps out of handlers, timers.
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "soak.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

enum { HANDLER_LOG = 16 << 10 };

/* Bytes of the stack beyond the kernel's signal frame. */
static const size_t rooms[] = {2560, 4 << 10, 8 << 10, 16 << 10, 64 << 10};

static __thread struct soak_actor *handled; /* whose script the handler runs */
static __thread unsigned n_handled;
static __thread sigjmp_buf *leaves; /* target of the jump at the handler's end */

void soak_handler(int sig, void (*run)(int), int flags)
{
    struct sigaction action = {.sa_handler = run, .sa_flags = flags};
    sigemptyset(&action.sa_mask);
    sigaction(sig, &action, NULL);
}

/*
 * A fault outside of the operations about faults is a real fault: there is nothing to go back to.
 */
static void on_fault(int sig)
{
    if (soak_fault)
        siglongjmp(*soak_fault, sig);
    signal(sig, SIG_DFL);
}

void soak_handlers(void)
{
    soak_handler(SIGSEGV, on_fault, SA_ONSTACK);
    soak_handler(SIGBUS, on_fault, SA_ONSTACK);
}

static size_t kernel_bytes(void)
{
    unsigned long bytes = getauxval(AT_MINSIGSTKSZ);
    return (bytes ? bytes : 4096) + soak_room();
}

static void on_signal(int sig)
{
    (void)sig;
    struct soak_actor *actor = handled;
    unsigned n = n_handled;
    sigjmp_buf *to = leaves;
    if (!actor)
        return;
    handled = NULL; /* a handler within the script may have a script too */
    soak_script(actor, n);
    if (to)
        siglongjmp(*to, 1);
}

/* Runs the script of `sub` in a handler, and comes back as a handler does or by a jump. */
static void interrupt(struct soak_actor *actor, struct soak_actor *sub, bool jumps)
{
    sigjmp_buf here;
    sigset_t own, before;
    sigemptyset(&own);
    sigaddset(&own, actor->signal);
    pthread_sigmask(SIG_UNBLOCK, &own, &before); /* in a handler of the same signal */
    n_handled = 1 + (unsigned)soak_draw(actor, 3);
    handled = sub;
    if (sigsetjmp(here, 1) == 0) {
        leaves = jumps ? &here : NULL;
        soak_note(actor, pthread_kill(pthread_self(), actor->signal));
    }
    soak_self = actor;
    leaves = NULL;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    soak_note_log(actor, sub->log);
}

static void handle(struct soak_actor *actor, bool has_own_stack, bool jumps)
{
    stack_t stack = {.ss_flags = 0}, before;
    size_t room = has_own_stack ? rooms[soak_draw(actor, sizeof rooms / sizeof rooms[0])]
                                : actor->stack - MEDIUM;
    struct soak_actor *sub = soak_stack_new(sizeof *sub);
    *sub = soak_sub(actor, IN_HANDLER, room);
    sub->log = soak_log_new(HANDLER_LOG);
    stack.ss_size = (room + kernel_bytes() + 63) & ~(size_t)63;
    if (has_own_stack) {
        stack.ss_sp = soak_stack_new(stack.ss_size);
        soak_note(actor, sigaltstack(&stack, &before));
    }
    soak_handler(actor->signal, on_signal,
                 (has_own_stack ? SA_ONSTACK : 0) | (soak_draw(actor, 2) ? SA_NODEFER : 0));
    interrupt(actor, sub, jumps);
    if (has_own_stack) {
        soak_note(actor, sigaltstack(&before, NULL));
        soak_stack_free(stack.ss_sp, stack.ss_size);
    }
    soak_stack_free(sub, sizeof *sub);
}

void soak_op_handler(struct soak_actor *actor)
{
    handle(actor, true, false);
}

void soak_op_handler_here(struct soak_actor *actor)
{
    handle(actor, false, false);
}

void soak_op_handler_jumps(struct soak_actor *actor)
{
    handle(actor, true, true);
}

void soak_op_handler_here_jumps(struct soak_actor *actor)
{
    handle(actor, false, true);
}

void soak_op_fault(struct soak_actor *actor)
{
    sigjmp_buf here, *outer = soak_fault;
    soak_fault = &here;
    int sig = sigsetjmp(here, 1);
    if (sig == 0) {
        soak_calls(2);
        *(volatile int *)8 = 1;
    }
    soak_fault = outer;
    soak_note(actor, sig);
}

static _Atomic unsigned long n_ticks;

static void on_tick(int sig)
{
    (void)sig;
    int saved = errno;
    soak_calls(3);
    n_ticks++;
    errno = saved;
}

timer_t soak_timer(int sig, long microseconds, bool repeats)
{
    timer_t timer;
    struct sigevent to = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = sig};
    struct itimerspec when = {.it_value = {0, microseconds * 1000}};
    to._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (repeats)
        when.it_interval = when.it_value;
    if (timer_create(CLOCK_MONOTONIC, &to, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        _exit(124);
    return timer;
}

void soak_op_timer(struct soak_actor *actor)
{
    soak_handler(actor->signal, on_tick, SA_RESTART);
    timer_t timer = soak_timer(actor->signal, 50 + (long)soak_draw(actor, 500), true);
    soak_calls(2000 + (unsigned)soak_draw(actor, 8000));
    soak_note(actor, timer_delete(timer));
}

static __thread sigjmp_buf *out_of_tick;

static void jump_on_tick(int sig)
{
    (void)sig;
    soak_calls(1);
    siglongjmp(*out_of_tick, 1);
}

/* Jumps out of the middle of any code, each time with a mutex that nobody holds. */
void soak_op_timer_jumps(struct soak_actor *actor)
{
    volatile int n = 3 + (int)soak_draw(actor, 10), jumped = 0;
    sigjmp_buf here;
    out_of_tick = &here;
    soak_handler(actor->signal, jump_on_tick, 0);
    for (volatile int i = 0; i < n; i++) {
        volatile timer_t timer = NULL;
        if (sigsetjmp(here, 1) == 0) {
            timer = soak_timer(actor->signal, 20 + (long)soak_draw(actor, 300), false);
            for (;;)
                soak_calls(100);
        }
        jumped++;
        if (timer)
            timer_delete(timer);
    }
    soak_note(actor, jumped);
}

enum { MAX_CHILDREN = 4 };
static volatile pid_t children[MAX_CHILDREN];
static volatile int n_children, statuses;

static void on_child(int sig)
{
    (void)sig;
    int saved = errno, status;
    for (int i = 0; i < MAX_CHILDREN; i++)
        if (children[i] > 0 && waitpid(children[i], &status, WNOHANG) == children[i]) {
            children[i] = 0;
            n_children++;
            statuses += status;
        }
    errno = saved;
}

/*
 * waitpid() in a handler of SIGCHLD. The handler runs only while the program lets the signal
 * through.
 */
void soak_op_sigchld(struct soak_actor *actor)
{
    sigset_t blocked, before;
    stack_t stack = {.ss_size = kernel_bytes() + 8192}, old;
    int n = 1 + (int)soak_draw(actor, MAX_CHILDREN);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    stack.ss_sp = soak_stack_new(stack.ss_size & ~(size_t)63);
    sigaltstack(&stack, &old);
    soak_handler(SIGCHLD, on_child, SA_ONSTACK);
    n_children = statuses = 0;
    for (int i = 0; i < n; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            soak_calls(2);
            _exit(i);
        }
    }
    while (n_children < n)
        sigsuspend(&before);
    signal(SIGCHLD, SIG_DFL);
    soak_note(actor, statuses);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    soak_note(actor, sigaltstack(&old, NULL));
    soak_stack_free(stack.ss_sp, stack.ss_size & ~(size_t)63);
}

struct asleep {
    sem_t ready, acknowledged, over;
    int sig;
};
static struct asleep *asleep_now;

static void acknowledge(int sig)
{
    (void)sig;
    soak_calls(5);
    sem_post(&asleep_now->acknowledged);
}

static void *sleep_main(void *argument)
{
    struct asleep *asleep = argument;
    sem_post(&asleep->ready);
    while (sem_wait(&asleep->over) != 0) {
    }
    return NULL;
}

/* A signal for a thread that waits in a recorded call. */
void soak_op_wakes(struct soak_actor *actor)
{
    struct asleep asleep = {.sig = actor->signal};
    pthread_t thread;
    sem_init(&asleep.ready, 0, 0);
    sem_init(&asleep.acknowledged, 0, 0);
    sem_init(&asleep.over, 0, 0);
    asleep_now = &asleep;
    soak_handler(actor->signal, acknowledge, soak_draw(actor, 2) ? SA_RESTART : 0);
    pthread_create(&thread, NULL, sleep_main, &asleep);
    sem_wait(&asleep.ready);
    for (uint64_t i = soak_draw(actor, 5); i > 0; i--) {
        soak_note(actor, pthread_kill(thread, actor->signal));
        while (sem_wait(&asleep.acknowledged) != 0) {
        }
    }
    sem_post(&asleep.over);
    soak_note(actor, pthread_join(thread, NULL));
}

/* The state of signals is the program's own doing, with and without the agent. */
void soak_op_sigpending(struct soak_actor *actor)
{
    sigset_t blocked, before, pending;
    const struct timespec now = {0, 0};
    siginfo_t info;
    sigemptyset(&blocked);
    sigaddset(&blocked, actor->signal);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    soak_calls(3);
    pthread_kill(pthread_self(), actor->signal);
    soak_calls(3);
    sigpending(&pending);
    soak_note(actor, sigismember(&pending, actor->signal));
    soak_note(actor, sigtimedwait(&blocked, &info, &now) == actor->signal);
    pthread_sigmask(SIG_SETMASK, &before, &blocked);
    for (int sig = 1; sig < 65; sig++)
        if (sigismember(&blocked, sig) == 1 && sig != SIGURG)
            soak_note(actor, sig == actor->signal ? 0 : sig);
}

/*
 * But for the signals of real time, handled by any thread, and the signals that the agent may take.
 */
void soak_op_signal_state(struct soak_actor *actor)
{
    /* Of samples, snapshots, and crashes; the C library's. */
    const uint64_t own = 1ULL << (SIGURG - 1) | 1ULL << (SIGUSR2 - 1) | 1ULL << (SIGSEGV - 1) |
                         1ULL << (SIGBUS - 1) | 1ULL << (SIGFPE - 1) | 1ULL << (SIGILL - 1) |
                         1ULL << (SIGABRT - 1) | ~0ULL << 31;
    char line[256];
    FILE *file = fopen("/proc/self/status", "re");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "SigIgn:", 7) == 0 || strncmp(line, "SigCgt:", 7) == 0)
            soak_note(actor, (int64_t)(strtoull(line + 7, NULL, 16) & ~own));
    if (file)
        fclose(file);
}
