/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The host's objects and their dense numbers, as the hot path sees them. An open-address table of
 * pointers to entries: looked up without a lock, grown under a lock. Entries never move, and
 * outgrown tables stay readable, so a look-up may run while the table grows.
 */
#ifndef SPUR_OBJECT_H
#define SPUR_OBJECT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct spur_object {
    _Atomic uintptr_t key; /* 0: forgotten */
    uint32_t id;
    _Atomic uint32_t order;  /* of a lock: acquisitions so far */
    _Atomic uint64_t latest; /* time of the last noted acquisition or release */
};

struct spur_objects {
    size_t room; /* a power of two */
    size_t used;
    struct spur_objects *outgrown;
    _Atomic(struct spur_object *) at[];
};

extern _Atomic(struct spur_objects *) spur_objects;

/* In a child of fork(): numbers and orders are the process's own. */
void spur_object_after_fork(void);

static inline size_t spur_object_hash(uintptr_t key)
{
    return (size_t)((key >> 3) * 0x9e3779b97f4a7c15u >> 20);
}

/* The object's entry if in the place of its hash, as nearly all entries are; else NULL. */
static inline __attribute__((always_inline)) struct spur_object *
spur_object_glance(const void *object)
{
    const struct spur_objects *t = atomic_load_explicit(&spur_objects, memory_order_acquire);
    if (__builtin_expect(!t, 0))
        return NULL;
    size_t i = spur_object_hash((uintptr_t)object) & (t->room - 1);
    struct spur_object *entry = atomic_load_explicit(&t->at[i], memory_order_acquire);
    if (__builtin_expect(!entry || atomic_load_explicit(&entry->key, memory_order_acquire) !=
                                       (uintptr_t)object,
                         0))
        return NULL;
    return entry;
}

/* The object's entry, wherever in the table; NULL: the object has no number. */
struct spur_object *spur_object_find(const void *object);

/*
 * The order counts without an atomic addition: a thread that acquires a lock is alone with the
 * lock, or is a reader among several readers that the caller lets in singly.
 */
static inline uint32_t spur_object_next(const struct spur_object *lock)
{
    return atomic_load_explicit(&lock->order, memory_order_relaxed) + 1;
}

static inline void spur_object_order_is(struct spur_object *lock, uint32_t order)
{
    atomic_store_explicit(&lock->order, order, memory_order_relaxed);
}

static inline uint32_t spur_object_order(struct spur_object *lock)
{
    uint32_t order = spur_object_next(lock);
    spur_object_order_is(lock, order);
    return order;
}

/*
 * The lock was acquired or released at `time`. Readers that release a lock at once may overtake
 * each other here; the difference does not matter.
 */
static inline void spur_object_at(struct spur_object *lock, uint64_t time)
{
    if (lock && atomic_load_explicit(&lock->latest, memory_order_relaxed) < time)
        atomic_store_explicit(&lock->latest, time, memory_order_relaxed);
}

#endif
