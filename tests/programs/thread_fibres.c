/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibres, in the ways of programs to make fibres: each mode takes turns between several stacks on
 * one or more threads. All stacks lock, signal and create threads. Prints the counts of the fibres.
 * Without arguments the program prints its modes.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "fibre_switch.h"

enum { FIBRES = 8, CARRIERS = 2, ROUNDS = 1500, PERIOD_NS = 150000 };

struct carrier {
    struct fibre fibre[FIBRES];
    struct fibre home;
    int now;
    int only_in_turn; /* the fibres themselves say when */
    timer_t timer;
};

static change *change_to;
static int rounds = ROUNDS;
static long counted;
static __thread struct carrier *current;

/* Not inlined: a fibre may go on in another thread, where the compiler's copy would be wrong. */
static __attribute__((noinline)) struct carrier *carrier(void)
{
    __asm__ volatile("");
    return current;
}

/* ---- work of fibres ---- */

static int next(const struct carrier *c)
{
    for (int i = 1; i <= FIBRES; i++)
        if (!c->fibre[(c->now + i) % FIBRES].is_done)
            return (c->now + i) % FIBRES;
    return -1;
}

static void yield(void)
{
    struct carrier *c = carrier();
    int old = c->now, new = next(c);
    if (new < 0 || new == old)
        return;
    c->now = new;
    change_to(&c->fibre[old], &c->fibre[new]);
}

static void yield_in_turn(void)
{
    if (carrier()->only_in_turn)
        yield();
}

static void count(pthread_mutex_t *mutex, int times)
{
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(mutex);
        __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
        pthread_mutex_unlock(mutex);
    }
}

static void at_once(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_once_t inner = PTHREAD_ONCE_INIT;
    count(&mutex, 20);
    if (change_to == change_by_jump)
        return; /* the C library takes a jump for the end of the routine */
    yield_in_turn();
    count(&mutex, 20);
    pthread_once(&inner, yield_in_turn);
}

static void *in_thread(void *arg)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    count(&mutex, 10);
    return arg;
}

static void work(void)
{
    enum { ONCE_IN = 50, THREAD_IN = 500 };
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    for (int i = 0; i < rounds; i++) {
        count(&mutex, 2);
        pthread_cond_signal(&condition);
        if (i % 3 == 0)
            yield_in_turn();
        if (i % ONCE_IN == 0) {
            pthread_once_t once = PTHREAD_ONCE_INIT;
            pthread_once(&once, at_once);
        }
        if (i % THREAD_IN == 0) {
            pthread_t thread;
            sigset_t all, before; /* threads must not inherit the timer's signal */
            sigfillset(&all);
            pthread_sigmask(SIG_BLOCK, &all, &before);
            pthread_create(&thread, NULL, in_thread, NULL);
            pthread_join(thread, NULL); /* takes locks of the C library, as does pthread_create() */
            pthread_sigmask(SIG_SETMASK, &before, NULL);
        }
    }
}

static void mask_timer(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(how, &set, NULL);
}

static void body(void)
{
    mask_timer(SIG_UNBLOCK);
    work();
    mask_timer(SIG_BLOCK);
    struct carrier *c = carrier();
    struct fibre *self = &c->fibre[c->now];
    self->is_done = 1;
    int new = next(c);
    if (new >= 0)
        c->now = new;
    change_to(self, new < 0 ? &c->home : &c->fibre[new]);
    abort();
}

/* ---- threads that carry fibres ---- */

static void preempt(int number)
{
    (void)number;
    yield();
}

static void start_timer(struct carrier *c)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    const struct itimerspec period = {{0, PERIOD_NS}, {0, PERIOD_NS}};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    timer_create(CLOCK_MONOTONIC, &event, &c->timer);
    timer_settime(c->timer, 0, &period, NULL);
}

/* Stacks side by side, mapped at once as by a library: the next lies above or below. */
static struct carrier *new_carrier(int only_in_turn)
{
    struct carrier *c = calloc(1, sizeof *c);
    char *stacks = mmap(NULL, (size_t)STACK_BYTES * FIBRES, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->only_in_turn = only_in_turn;
    for (int i = 0; i < FIBRES; i++) {
        struct fibre *fibre = &c->fibre[i];
        fibre->stack = stacks + (size_t)STACK_BYTES * ((i * 3) % FIBRES);
        getcontext(&fibre->context);
        sigaddset(&fibre->context.uc_sigmask, SIGUSR1);
        fibre->context.uc_stack.ss_sp = fibre->stack;
        fibre->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&fibre->context, body, 0);
        if (change_to == change_stack)
            prepare(fibre, body);
    }
    return c;
}

static void *carry_in_turn(void *arg)
{
    struct carrier *c = current = new_carrier(1);
    in_thread(NULL);
    change_to(&c->home, &c->fibre[0]);
    return arg;
}

static void *carry_by_timer(void *arg)
{
    struct carrier *c = current = new_carrier(0);
    mask_timer(SIG_BLOCK);
    start_timer(c);
    change_to(&c->home, &c->fibre[0]);
    timer_delete(c->timer);
    return arg;
}

static void in_threads(void *(*routine)(void *), change *how)
{
    pthread_t thread[CARRIERS];
    struct sigaction action = {.sa_handler = preempt, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    change_to = how;
    for (int i = 0; i < CARRIERS; i++)
        pthread_create(&thread[i], NULL, routine, NULL);
    for (int i = 0; i < CARRIERS; i++)
        pthread_join(thread[i], NULL);
}

static void preemptive(void)
{
    in_thread(NULL); /* something is recorded already */
    in_threads(carry_by_timer, change_context);
}

static void preemptive_by_hand(void)
{
    in_threads(carry_by_timer, change_stack);
}

static void preemptive_main(void)
{
    struct sigaction action = {.sa_handler = preempt, .sa_flags = SA_RESTART};
    sigaction(SIGUSR1, &action, NULL);
    change_to = change_context;
    carry_by_timer(NULL);
}

/* Handlers above the thread's own stack, on a stack that disarms itself: invisible from there. */
static volatile int handled;

static void lock_here(int times)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < times; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void handle(int number)
{
    lock_here(number == SIGUSR1);
    handled++;
}

static void *be_interrupted(void *arg)
{
    enum { TIMES = 500, DISARMS = INT32_MIN };
    const stack_t stack = {.ss_sp = arg, .ss_size = STACK_BYTES, .ss_flags = DISARMS};
    struct carrier c = {.now = 0};
    if (sigaltstack(&stack, NULL) != 0)
        abort();
    start_timer(&c);
    while (handled < TIMES)
        lock_here(100);
    timer_delete(c.timer);
    return NULL;
}

static void handlers(void)
{
    char *stacks = mmap(NULL, (size_t)STACK_BYTES * 3, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | SA_ONSTACK};
    pthread_t thread;
    pthread_attr_t how;
    sigaction(SIGUSR1, &action, NULL);
    pthread_attr_init(&how);
    pthread_attr_setstack(&how, stacks, (size_t)STACK_BYTES * 2);
    pthread_create(&thread, &how, be_interrupted, stacks + (size_t)STACK_BYTES * 2);
    pthread_join(thread, NULL);
}

static void contexts(void)
{
    in_threads(carry_in_turn, change_context);
}

static void by_hand(void)
{
    in_threads(carry_in_turn, change_stack);
}

static void jumps(void)
{
    in_threads(carry_in_turn, change_by_jump);
}

/* A fibre that goes on in another thread, in the middle of a routine of pthread_once(). */
static struct fibre wanderer, shore[2];
static pthread_barrier_t tide;

static void wander(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    count(&mutex, 50);
    change_to(&wanderer, &shore[0]);
    count(&mutex, 50);
}

static void wanderer_body(void)
{
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, wander);
    wander();
    change_to(&wanderer, &shore[1]);
    abort();
}

static void *carry_wanderer(void *arg)
{
    struct fibre *own = arg;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 2; i++) {
        if (own == &shore[i])
            change_to(own, &wanderer);
        count(&mutex, 100);
        pthread_barrier_wait(&tide);
    }
    return NULL;
}

/* Whatever thread resumes the fibre, the fibre goes back to the resuming thread. */
static void change_back(struct fibre *from, struct fibre *to)
{
    static __thread struct fibre *left;
    if (to == &wanderer)
        left = from;
    change_context(from, to == &wanderer ? to : left);
}

static void migrating(void)
{
    pthread_t thread[2];
    change_to = change_back;
    pthread_barrier_init(&tide, NULL, 2);
    getcontext(&wanderer.context);
    wanderer.context.uc_stack.ss_sp = malloc(STACK_BYTES);
    wanderer.context.uc_stack.ss_size = STACK_BYTES;
    makecontext(&wanderer.context, wanderer_body, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, carry_wanderer, &shore[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
}

/* Fibres thrown away in the middle of a routine, and a jump of their thread afterwards. */
static __thread jmp_buf out;

static void give_up(void)
{
    change_to(&wanderer, &shore[0]);
}

static void abandoned_body(void)
{
    pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, give_up);
}

static void jump_out(void)
{
    longjmp(out, 1);
}

static void abandoned(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    change_to = change_context;
    for (int i = 0; i < FIBRES; i++) {
        pthread_once_t once = PTHREAD_ONCE_INIT;
        void *stack =
            mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        getcontext(&wanderer.context);
        wanderer.context.uc_stack.ss_sp = stack;
        wanderer.context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&wanderer.context, abandoned_body, 0);
        change_to(&shore[0], &wanderer);
        munmap(stack, STACK_BYTES);
        count(&mutex, 10);
        if (setjmp(out) == 0)
            pthread_once(&once, jump_out);
        count(&mutex, 10);
    }
}

/* The same after fibres were seen at work; the test counts the calls behind each jump. */
static void *carry_and_jump(void *arg)
{
    enum { TIMES = 3, CALLS = 100 };
    carry_in_turn(NULL);
    for (int i = 0; i < TIMES; i++) {
        pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
        if (setjmp(out) == 0)
            pthread_once(&once, jump_out);
        for (int k = 0; k < CALLS; k++) {
            pthread_rwlock_rdlock(&lock);
            pthread_rwlock_unlock(&lock);
        }
    }
    return arg;
}

static void jumps_after(void)
{
    in_threads(carry_and_jump, change_context);
}

static const struct mode {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"preemptive", preemptive},
    {"preemptive_by_hand", preemptive_by_hand},
    {"preemptive_main", preemptive_main},
    {"handlers", handlers},
    {"contexts", contexts},
    {"by_hand", by_hand},
    {"jumps", jumps},
    {"migrating", migrating},
    {"abandoned", abandoned},
    {"jumps_after", jumps_after},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (argc < 2)
            puts(modes[i].name);
        else if (strcmp(argv[1], modes[i].name) == 0) {
            rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
            modes[i].run();
            printf("%s: %ld\n", modes[i].name, counted);
        }
    }
    return 0;
}
