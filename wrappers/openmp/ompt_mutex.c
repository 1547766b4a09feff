/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mutual exclusion by critical, atomic and ordered. Locks of the program's own are wrapped
 * functions.
 *
 * The runtime tells of a release when it is over; the next thread may tell of its acquisition
 * earlier than that. The trace must not show a lock in two hands, so the two threads meet at the
 * lock's entry here: who acquires leaves its time to a holder that has not told yet, and that one
 * then records its release at this time.
 */
#include <sched.h>

#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

/* The hold of a mutex by a thread. Threads nest few; deeper ones are recorded as they are told. */
struct hold {
    uint64_t mutex;
    _Atomic uint64_t next_at; /* the time of the next acquisition, if that was told first */
};

enum { HOLDS = 16, ENTRIES = 1024 };

/* Stays where it is when the thread ends: others may still look at it. */
struct holds {
    unsigned n;
    struct hold hold[HOLDS];
};

static _Thread_local struct holds *holds __attribute__((tls_model("initial-exec")));

/* Mutexes by address. Entries are never given back: named criticals are few. */
static struct entry {
    _Atomic uint64_t mutex;
    _Atomic(struct hold *) holder; /* NULL: nobody, or it has told of its release */
} entries[ENTRIES];

static struct entry *entry_of(uint64_t mutex)
{
    uint64_t hash = mutex * UINT64_C(0x9e3779b97f4a7c15) >> 54;
    for (unsigned tries = 0; tries < ENTRIES; tries++) {
        struct entry *entry = &entries[(hash + tries) % ENTRIES];
        uint64_t there = atomic_load_explicit(&entry->mutex, memory_order_relaxed);
        if (there == mutex)
            return entry;
        if (there == 0 && atomic_compare_exchange_strong(&entry->mutex, &there, mutex))
            return entry;
        if (there == mutex)
            return entry;
    }
    return NULL;
}

/* The thread is the holder from now on. */
static void take_over(uint64_t mutex)
{
    if (!holds)
        holds = spur_mem_new(sizeof *holds);
    if (!holds)
        return;
    struct hold *mine = NULL;
    if (holds->n < HOLDS) {
        mine = &holds->hold[holds->n];
        mine->mutex = mutex;
        atomic_store_explicit(&mine->next_at, 0, memory_order_relaxed);
    }
    holds->n++;
    struct entry *entry = entry_of(mutex);
    uint64_t now = spur_time();
    struct hold *before =
        entry ? atomic_exchange_explicit(&entry->holder, mine, memory_order_acq_rel) : NULL;
    if (before)
        atomic_store_explicit(&before->next_at, now, memory_order_release);
}

/* When the mutex was given back: now, or when the next one had it. */
static uint64_t give_back(uint64_t mutex)
{
    enum { YIELDS = 1000 };
    uint64_t now = spur_time();
    if (!holds || holds->n == 0)
        return now;
    struct hold *mine = --holds->n < HOLDS ? &holds->hold[holds->n] : NULL;
    struct entry *entry = mine && mine->mutex == mutex ? entry_of(mutex) : NULL;
    struct hold *expected = mine;
    if (!entry || atomic_compare_exchange_strong(&entry->holder, &expected, NULL))
        return now;
    uint64_t next_at = 0;
    for (int i = 0; i < YIELDS && !next_at; i++) { /* the other one is about to tell */
        next_at = atomic_load_explicit(&mine->next_at, memory_order_acquire);
        if (!next_at)
            sched_yield();
    }
    return next_at && next_at < now ? next_at : now;
}

static unsigned region_of(int kind)
{
    static const uint8_t regions[OMPT_MUTEXES] = {
        [OMPT_MUTEX_CRITICAL] = OPENMP_CRITICAL,
        [OMPT_MUTEX_ATOMIC] = OPENMP_ATOMIC,
        [OMPT_MUTEX_ORDERED] = OPENMP_ORDERED,
    };
    return kind >= OMPT_MUTEX_CRITICAL && kind < OMPT_MUTEXES ? regions[kind] : OPENMP_KINDS;
}

void ompt_on_mutex_acquire(int kind, unsigned hint, unsigned implementation, uint64_t mutex,
                           const void *code)
{
    (void)hint;
    (void)implementation;
    unsigned region = region_of(kind);
    if (region < OPENMP_KINDS)
        openmp_excludes(region, code, (const void *)(uintptr_t)mutex);
}

void ompt_on_mutex_acquired(int kind, uint64_t mutex, const void *code)
{
    (void)code;
    unsigned region = region_of(kind);
    if (region == OPENMP_KINDS)
        return;
    take_over(mutex);
    openmp_acquired(region, (const void *)(uintptr_t)mutex);
}

void ompt_on_mutex_released(int kind, uint64_t mutex, const void *code)
{
    (void)code;
    unsigned region = region_of(kind);
    if (region == OPENMP_KINDS)
        return;
    openmp_at(give_back(mutex));
    openmp_released(region);
    openmp_at(0);
    openmp_leave(region);
}
