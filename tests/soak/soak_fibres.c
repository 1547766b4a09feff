/* SPDX-License-Identifier: BSD-3-Clause */
/* Several stacks on a thread: by turns, by force of a timer, and on thread after thread. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#include "soak.h"

enum { MAX_FIBRES = 4, FIBRE_LOG = 16 << 10, STEPS = 3, TURN_US = 150 };

struct fibre {
    ucontext_t context;
    struct soak_actor actor;
    void *stack;
    size_t size;
    bool is_over;
    volatile unsigned done;
    unsigned wanted;
};

struct ring {
    ucontext_t main;
    struct fibre fibres[MAX_FIBRES];
    unsigned n;
    struct fibre *current;
};

static __thread struct ring *ring_now;

/* The address of the thread's own data must not outlive a switch of fibres in a register. */
static __attribute__((noinline)) struct ring *ring_here(void)
{
    __asm__ volatile("" ::: "memory");
    return ring_now;
}

static void ring_make(struct soak_actor *actor, struct ring *ring, void (*run)(void))
{
    static const size_t sizes[] = {16 << 10, 32 << 10, 64 << 10, 256 << 10};
    ring->n = 2 + (unsigned)soak_draw(actor, MAX_FIBRES - 1);
    for (unsigned i = 0; i < ring->n; i++) {
        struct fibre *fibre = &ring->fibres[i];
        size_t size = sizes[soak_draw(actor, 4)];
        fibre->size = size + soak_room();
        fibre->stack = soak_stack_new(fibre->size);
        fibre->actor = soak_sub(actor, IN_FIBRE, size - (4 << 10));
        fibre->actor.log = soak_log_new(FIBRE_LOG);
        fibre->wanted = 100 + (unsigned)soak_draw(actor, 4000);
        getcontext(&fibre->context);
        fibre->context.uc_stack.ss_sp = fibre->stack;
        fibre->context.uc_stack.ss_size = fibre->size;
        fibre->context.uc_link = &ring->main;
        makecontext(&fibre->context, run, 0);
    }
}

static void ring_free(struct soak_actor *actor, struct ring *ring)
{
    for (unsigned i = 0; i < ring->n; i++) {
        soak_note_log(actor, ring->fibres[i].actor.log);
        soak_note(actor, ring->fibres[i].done);
        soak_stack_free(ring->fibres[i].stack, ring->fibres[i].size);
    }
    soak_stack_free(ring, sizeof *ring);
}

/* ---- by turns ---- */

static void yield(void)
{
    struct ring *ring = ring_here();
    swapcontext(&ring->current->context, &ring->main);
}

static void step_by_step(void)
{
    struct fibre *fibre = ring_here()->current;
    for (unsigned i = 0; i < STEPS; i++) {
        fibre->actor.seed++;
        soak_script(&fibre->actor, 1);
        yield();
        soak_calls(3);
    }
    fibre->is_over = true;
}

static void take_turns(struct ring *ring)
{
    struct ring *outer = ring_here();
    ring_now = ring;
    for (bool runs = true; runs;) {
        runs = false;
        for (unsigned i = 0; i < ring->n; i++) {
            ring->current = &ring->fibres[i];
            if (ring->current->is_over)
                continue;
            runs = true;
            swapcontext(&ring->main, &ring->current->context);
            soak_calls(1);
        }
    }
    ring_now = outer;
}

void soak_op_fibres(struct soak_actor *actor)
{
    struct ring *ring = soak_stack_new(sizeof *ring);
    ring_make(actor, ring, step_by_step);
    take_turns(ring);
    soak_self = actor;
    ring_free(actor, ring);
}

static void in_once(void)
{
    soak_calls(2);
    yield();
    soak_calls(2);
    yield();
}

/*
 * Only the first fibre: with two fibres in calls at a time, the C library would confuse the inner
 * call with the outer call.
 */
static void yields_in_calls(void)
{
    struct fibre *fibre = ring_here()->current;
    for (unsigned i = 0; i < STEPS; i++) {
        pthread_once_t control = PTHREAD_ONCE_INIT;
        if (fibre == ring_here()->fibres)
            pthread_once(&control, in_once);
        soak_calls(5);
        yield();
        fibre->done++;
    }
    fibre->is_over = true;
}

void soak_op_fibres_in_calls(struct soak_actor *actor)
{
    struct ring *ring = soak_stack_new(sizeof *ring);
    ring_make(actor, ring, yields_in_calls);
    take_turns(ring);
    ring_free(actor, ring);
}

/* ---- on thread after thread ---- */

static void only_calls(void)
{
    struct fibre *fibre = ring_here()->current;
    for (unsigned i = 0; i < STEPS; i++) {
        soak_calls(50);
        fibre->done++;
        yield();
    }
    fibre->is_over = true;
}

static void *turn_main(void *argument)
{
    struct ring *ring = argument;
    ring_now = ring;
    for (unsigned i = 0; i < ring->n; i++) {
        ring->current = &ring->fibres[i];
        if (!ring->current->is_over)
            swapcontext(&ring->main, &ring->current->context);
        soak_calls(2);
    }
    return NULL;
}

void soak_op_fibres_move(struct soak_actor *actor)
{
    struct ring *ring = soak_stack_new(sizeof *ring);
    ring_make(actor, ring, only_calls);
    for (unsigned i = 0; i <= STEPS; i++) {
        pthread_t thread;
        soak_note(actor, pthread_create(&thread, NULL, turn_main, ring));
        soak_note(actor, pthread_join(thread, NULL));
    }
    ring_free(actor, ring);
}

/* ---- by force ---- */

static void hold_turns(int how, struct soak_actor *actor)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, actor->signal);
    pthread_sigmask(how, &set, NULL);
}

static void next_turn(int sig)
{
    (void)sig;
    struct ring *ring = ring_here();
    struct fibre *from = ring->current;
    for (unsigned i = 1; i <= ring->n; i++) {
        struct fibre *to = &ring->fibres[((unsigned)(from - ring->fibres) + i) % ring->n];
        if (!to->is_over && to != from) {
            ring->current = to;
            swapcontext(&from->context, &to->context);
            return;
        }
    }
}

static void forced_main(void)
{
    struct ring *ring = ring_here();
    struct fibre *fibre = ring->current;
    hold_turns(SIG_UNBLOCK, &fibre->actor);
    while (fibre->done < fibre->wanted) {
        soak_calls(1);
        fibre->done++;
    }
    hold_turns(SIG_BLOCK, &fibre->actor);
    fibre->is_over = true;
    for (unsigned i = 0; i < ring->n; i++)
        if (!ring->fibres[i].is_over) {
            ring->current = &ring->fibres[i];
            setcontext(&ring->current->context);
        }
    setcontext(&ring->main);
}

void soak_op_fibres_forced(struct soak_actor *actor)
{
    struct ring *ring = soak_stack_new(sizeof *ring), *outer = ring_here();
    hold_turns(SIG_BLOCK, actor);
    ring_make(actor, ring, forced_main);
    for (unsigned i = 0; i < ring->n; i++)
        ring->fibres[i].actor.signal = actor->signal;
    soak_handler(actor->signal, next_turn, SA_RESTART);
    ring_now = ring;
    ring->current = &ring->fibres[0];
    timer_t timer = soak_timer(actor->signal, TURN_US, true);
    swapcontext(&ring->main, &ring->current->context);
    soak_note(actor, timer_delete(timer));
    signal(actor->signal, SIG_IGN); /* discards a pending signal */
    ring_now = outer;
    hold_turns(SIG_UNBLOCK, actor);
    ring_free(actor, ring);
}

/* ---- from a handler on the alternate stack ---- */

enum { HANDLER_STACK = 64 << 10, FRAME = 2000, SPINS = 1 << 18 };

struct detour {
    ucontext_t handler, fibre;
    int changed; /* bytes of the handler's frame */
};

static __thread struct detour *detour_now;

/*
 * While the fibre runs, the kernel believes the alternate stack to be free: no second signal may
 * use the stack.
 */
static void wander(void)
{
    for (;;) {
        for (volatile int i = 0; i < SPINS; i++) {
        }
        soak_calls(3);
        swapcontext(&detour_now->fibre, &detour_now->handler);
    }
}

static void on_detour(int sig)
{
    volatile char frame[FRAME];
    memset((void *)frame, sig, sizeof frame);
    swapcontext(&detour_now->handler, &detour_now->fibre);
    for (int i = 0; i < FRAME; i++)
        detour_now->changed += frame[i] != (char)sig;
}

void soak_op_fibre_of_handler(struct soak_actor *actor)
{
    size_t size = HANDLER_STACK + soak_room();
    struct detour *detour = soak_stack_new(sizeof *detour), *outer = detour_now;
    stack_t stack = {.ss_sp = soak_stack_new(size), .ss_size = size}, before;
    void *fibre = soak_stack_new(size);
    getcontext(&detour->fibre);
    detour->fibre.uc_stack.ss_sp = fibre;
    detour->fibre.uc_stack.ss_size = size;
    makecontext(&detour->fibre, wander, 0);
    detour_now = detour;
    soak_handler(actor->signal, on_detour, SA_ONSTACK);
    hold_turns(SIG_UNBLOCK, actor);
    soak_note(actor, sigaltstack(&stack, &before));
    for (uint64_t i = 1 + soak_draw(actor, 5); i > 0; i--)
        soak_note(actor, pthread_kill(pthread_self(), actor->signal));
    soak_note(actor, sigaltstack(&before, NULL));
    soak_note(actor, detour->changed);
    detour_now = outer;
    soak_stack_free(fibre, size);
    soak_stack_free(stack.ss_sp, size);
    soak_stack_free(detour, sizeof *detour);
}
