/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_emit.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/*
 * The locks that the thread holds, innermost last. A lock that another thread unlocks stays here
 * for ever; so there is a limit, at which the older half is forgotten.
 */
struct held {
    const void *lock;
    struct spur_hold hold;
};

enum { HELD_FIRST = 16, HELD_LIMIT = 256 };

struct held_locks {
    uint32_t n;
    uint32_t capacity;
    struct held held[];
};

static __thread struct held_locks *locks __attribute__((tls_model("initial-exec")));

static size_t bytes_for(uint32_t capacity)
{
    return sizeof(struct held_locks) + capacity * sizeof(struct held);
}

/* Make room for one more; false when there is no memory. */
static bool grow(void)
{
    struct held_locks *old = locks;
    if (old && old->capacity == HELD_LIMIT) {
        old->n = HELD_LIMIT / 2;
        memmove(old->held, old->held + HELD_LIMIT / 2, old->n * sizeof(struct held));
        return true;
    }
    uint32_t capacity = old ? old->capacity * 4 : HELD_FIRST;
    struct held_locks *new = spur_mem_new(bytes_for(capacity));
    if (!new)
        return false;
    if (old)
        memcpy(new, old, bytes_for(old->n));
    new->capacity = capacity;
    locks = new;
    if (old)
        spur_mem_free(old, bytes_for(old->capacity));
    return true;
}

static void acquire(struct spur_loc *loc, const void *lock)
{
    if ((!locks || locks->n == locks->capacity) && !grow())
        return;
    struct held *held = &locks->held[locks->n++];
    held->lock = lock;
    held->hold = spur_lock_acquired(loc, lock);
    spur_put_ThreadAcquireLock(loc, OTF2_PARADIGM_PTHREAD, held->hold.id, held->hold.order);
}

void pthread_emit_acquired(const struct pthread_frame *frame, int ret, const void *lock)
{
    if (ret == 0 || ret == EOWNERDEAD)
        acquire(frame->loc, lock);
}

/*
 * Readers hold no lock against one another, yet their times must rise with their orders: they take
 * both one by one. Who waits too long goes on and opens the gate; the one that it waited for may
 * have been left behind by fork(), and the host comes before the order of two readers.
 */
static _Atomic bool gate_is_shut;

static void gate_enter(void)
{
    enum { SPINS = 100, YIELDS = 1000 };
    for (int tries = 0; tries < SPINS + YIELDS; tries++) {
        if (!atomic_exchange_explicit(&gate_is_shut, true, memory_order_acquire))
            return;
        if (tries >= SPINS)
            sched_yield();
    }
}

static void gate_leave(void)
{
    atomic_store_explicit(&gate_is_shut, false, memory_order_release);
}

void pthread_emit_shared(const struct pthread_frame *frame, int ret, const void *lock)
{
    if (ret != 0)
        return;
    gate_enter();
    spur_tick(frame->loc);
    acquire(frame->loc, lock);
    gate_leave();
}

void pthread_emit_released(struct pthread_frame *frame, const void *lock)
{
    uint32_t at = locks ? locks->n : 0;
    while (at > 0 && locks->held[at - 1].lock != lock)
        at--;
    if (at == 0)
        return;

    struct spur_hold hold = locks->held[at - 1].hold;
    locks->n--;
    if (at <= locks->n)
        memmove(&locks->held[at - 1], &locks->held[at],
                (locks->n - (at - 1)) * sizeof locks->held[0]);
    spur_put_ThreadReleaseLock(frame->loc, OTF2_PARADIGM_PTHREAD, hold.id, hold.order);
    spur_lock_released(frame->loc, &hold);
    frame->released = lock;
}

void pthread_emit_reacquired(const struct pthread_frame *frame)
{
    if (frame->released)
        acquire(frame->loc, frame->released);
}

void pthread_emit_forgotten(int ret, const void *lock)
{
    if (ret == 0)
        spur_object_forget(lock);
}

void pthread_emit_joins(struct pthread_frame *frame, pthread_t thread)
{
    frame->joins = pthread_record_find(thread);
}

void pthread_emit_joined(const struct pthread_frame *frame, int ret, pthread_t thread)
{
    if (ret != 0 || !frame->joins.thread)
        return;
    pthread_record_joined(thread, &frame->joins);
    spur_put_ThreadWait(frame->loc, frame->joins.contingent, frame->joins.sequence);
}

void pthread_emit_cancelled(void *frame)
{
    struct pthread_frame *call = frame;
    spur_tick(call->loc);
    pthread_emit_reacquired(call);
    spur_leave(call->loc, call->call);
}

void pthread_emit_thread_end(void)
{
    struct held_locks *old = locks;
    locks = NULL;
    if (old)
        spur_mem_free(old, bytes_for(old->capacity));
}

void pthread_emit_forked(void)
{
    if (locks)
        locks->n = 0;
}
