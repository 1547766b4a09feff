/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The counted locks that a thread holds, in a ring readable by other threads. For pthread_count.c
 * alone; inline, since each counted lock comes here twice.
 */
#ifndef WRAPPERS_PTHREAD_HOLDS_H
#define WRAPPERS_PTHREAD_HOLDS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "wrappers/pthread/pthread_entries.h"

enum { PTHREAD_HOLDS = 16 }; /* a power of 2 */

/* Read by other threads: `entry` is written last, and cleared first. */
struct pthread_held {
    _Atomic(struct pthread_counted *) entry;
    _Atomic uint64_t since;
    _Atomic(const void *) taken;
};

/* A copy of a struct pthread_held. */
struct pthread_hold {
    struct pthread_counted *entry;
    uint64_t since;
    const void *taken;
};

/*
 * Never freed: other threads may read the ring. A thread leaves the ring to a later thread at the
 * end. Every field may change between two instructions of the thread: a handler goes on with
 * another fibre, or a fibre with another thread. So no index of the ring is trusted.
 */
struct pthread_counting {
    struct pthread_counting *next;
    _Atomic bool is_used;
    _Atomic uint32_t location; /* number of the thread */
    uint32_t number;           /* dense, of the threads that have counted */
    uint32_t generation;       /* of the process whose locks are counted */
    uint32_t calm;             /* acquisitions without waiting */
    uint32_t top;              /* place of the next lock in the ring */
    uint32_t used;             /* a bit for each place */
    struct pthread_held held[PTHREAD_HOLDS];
};

static inline struct pthread_held *pthread_hold_at(struct pthread_counting *c, uint32_t at)
{
    return &c->held[at % PTHREAD_HOLDS];
}

static inline uint32_t pthread_hold_bit(uint32_t at)
{
    return UINT32_C(1) << at % PTHREAD_HOLDS;
}

/* The entry of a place, or NULL. */
static inline struct pthread_counted *pthread_hold_entry(struct pthread_counting *c, uint32_t at)
{
    return c->used & pthread_hold_bit(at)
               ? atomic_load_explicit(&pthread_hold_at(c, at)->entry, memory_order_relaxed)
               : NULL;
}

/* In the next free place behind the last place; of 16 held locks the oldest gives way. */
static inline void pthread_hold_push(struct pthread_counting *c, struct pthread_counted *entry,
                                     const void *taken)
{
    uint32_t at = c->top;
    for (int i = 0; i < PTHREAD_HOLDS && __builtin_expect((c->used & pthread_hold_bit(at)) != 0, 0);
         i++)
        at++;
    c->top = at + 1; /* first: a handler that comes in between takes the places above */
    c->used |= pthread_hold_bit(at);
    struct pthread_held *held = pthread_hold_at(c, at);
    atomic_store_explicit(&held->entry, NULL, memory_order_relaxed);
    atomic_store_explicit(&held->since, spur_time(), memory_order_relaxed);
    atomic_store_explicit(&held->taken, taken, memory_order_relaxed);
    atomic_store_explicit(&held->entry, entry, memory_order_release);
}

static inline void pthread_hold_remove(struct pthread_counting *c, uint32_t at)
{
    atomic_store_explicit(&pthread_hold_at(c, at)->entry, NULL, memory_order_release);
    c->used &= ~pthread_hold_bit(at);
    if (c->top == at + 1)
        c->top = at;
}

/* The thread holds the lock, and the acquisition is counted. */
static inline bool pthread_hold_is_there(struct pthread_counting *c, const void *lock)
{
    for (uint32_t i = 0; c->used && i < PTHREAD_HOLDS; i++) {
        const struct pthread_counted *entry = pthread_hold_entry(c, i);
        if (entry && pthread_entry_is(entry, lock))
            return true;
    }
    return false;
}

/* Takes out the innermost acquisition of the lock; false: no acquisition is there. */
static inline bool pthread_hold_pop(struct pthread_counting *c, const void *lock,
                                    struct pthread_hold *copy)
{
    if (!c || !c->used)
        return false;
    const uint32_t top = c->top;
    for (uint32_t i = 1; i <= PTHREAD_HOLDS; i++) {
        struct pthread_counted *entry = pthread_hold_entry(c, top - i);
        if (!entry || !pthread_entry_is(entry, lock))
            continue;
        const struct pthread_held *held = pthread_hold_at(c, top - i);
        copy->since = atomic_load_explicit(&held->since, memory_order_relaxed);
        copy->taken = atomic_load_explicit(&held->taken, memory_order_relaxed);
        copy->entry = entry;
        pthread_hold_remove(c, top - i);
        return true;
    }
    return false;
}

/* The same lock in the same place before and after: the lock was held meanwhile. */
static inline bool pthread_hold_read(const struct pthread_held *held, const void *lock,
                                     struct pthread_hold *copy)
{
    copy->entry = atomic_load_explicit(&held->entry, memory_order_acquire);
    if (!copy->entry || !pthread_entry_is(copy->entry, lock))
        return false;
    copy->since = atomic_load_explicit(&held->since, memory_order_acquire);
    copy->taken = atomic_load_explicit(&held->taken, memory_order_acquire);
    return atomic_load_explicit(&held->entry, memory_order_relaxed) == copy->entry &&
           atomic_load_explicit(&held->since, memory_order_relaxed) == copy->since;
}

#endif
