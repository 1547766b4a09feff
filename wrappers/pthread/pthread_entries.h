/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The table of counted locks, semaphores and conditions by address, with the number of acquisitions
 * of each object. Looked up without a lock. The entry of an ended object stays, and the numbers are
 * told at the end of the process; a new object at the same address has another entry.
 */
#ifndef WRAPPERS_PTHREAD_ENTRIES_H
#define WRAPPERS_PTHREAD_ENTRIES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/spur_agent.h"

struct pthread_more_threads;

struct pthread_counted {
    _Atomic uintptr_t key;        /* 0: the object has ended */
    _Atomic int32_t left;         /* acquisitions that are still recorded; above 0 */
    _Atomic int32_t left_signals; /* the same */
    _Atomic uint32_t first;       /* the first thread that has counted, + 1; 0: none yet */
    _Atomic bool is_mere;         /* of an interpreter, and without a record */
    struct spur_lock_cell *cell;
    _Atomic uint64_t threads; /* a bit for each thread of the first 64 */
    _Atomic(struct pthread_more_threads *) more;
    struct pthread_counted *next;             /* of all */
    _Atomic(struct pthread_counted *) *place; /* in the table */
};

enum {
    PTHREAD_ENTRIES_BITS = 17, /* of the table, whose pages are touched where there are entries */
    PTHREAD_ENTRIES = 1 << PTHREAD_ENTRIES_BITS,
    PTHREAD_ENTRY_WAYS = 16, /* places of one object */
    PTHREAD_WORD_BITS = 64
};
extern _Atomic(struct pthread_counted *) pthread_entries[PTHREAD_ENTRIES + PTHREAD_ENTRY_WAYS];

/* Thread-safe. NULL: there is no room, or no memory. A new entry records `first` acquisitions. */
struct pthread_counted *pthread_entry_of(const void *object, enum spur_counted_kind kind,
                                         int32_t first);
/*
 * The object ends, and so does the number of the object: no other entry ever has the number. If the
 * object has no record at all, the counts go to the rest.
 */
void pthread_entry_end(struct pthread_counted *entry);

/* The thread with the number `thread` counts with the entry, which has a number from now on. */
void pthread_entry_begin(struct pthread_counted *entry, const void *object, uint32_t thread);
/* One acquisition was recorded after all. */
void pthread_entry_uncount(struct pthread_counted *entry);

/* The numbers as properties of the process: a spur_before_end(). */
void pthread_entries_tell(bool goes_on);
void pthread_entries_forked(void);

static inline bool pthread_entry_is(const struct pthread_counted *entry, const void *object)
{
    return atomic_load_explicit(&entry->key, memory_order_relaxed) == (uintptr_t)object;
}

static inline _Atomic(struct pthread_counted *) *pthread_entry_place(uintptr_t key)
{
    return &pthread_entries[(key >> 3) * UINT64_C(0x9e3779b97f4a7c15) >>
                            (PTHREAD_WORD_BITS - PTHREAD_ENTRIES_BITS)];
}

/* NULL: the object has no entry. */
static inline struct pthread_counted *pthread_entry_find(const void *object)
{
    _Atomic(struct pthread_counted *) *at = pthread_entry_place((uintptr_t)object);
    for (int i = 0; i < PTHREAD_ENTRY_WAYS; i++) {
        struct pthread_counted *entry = atomic_load_explicit(&at[i], memory_order_acquire);
        if (!entry || pthread_entry_is(entry, object))
            return entry;
    }
    return NULL;
}

/* The thread has counted with the entry. False as well for threads of high numbers. */
static inline bool pthread_entry_knows(const struct pthread_counted *entry, uint32_t thread)
{
    const uint64_t bit = thread < PTHREAD_WORD_BITS ? UINT64_C(1) << thread : 0;
    return atomic_load_explicit(&entry->threads, memory_order_relaxed) & bit;
}

/* One instruction: a signal handler of the thread may count in between, but no other thread. */
static inline void pthread_number_add(_Atomic uint64_t *number)
{
#if defined(__x86_64__)
    __asm__ volatile("addq $1, %0" : "+m"(*number)::"cc");
#else
    atomic_fetch_add_explicit(number, 1, memory_order_relaxed);
#endif
}

/* One more acquisition or signal. `is_alone`: no other thread has the object meanwhile. */
static inline void pthread_entry_add(struct pthread_counted *entry, struct spur_lock_number *number,
                                     uint32_t thread, bool is_alone)
{
    if (is_alone || atomic_load_explicit(&entry->first, memory_order_relaxed) == thread + 1)
        pthread_number_add(&number->alone);
    else
        atomic_fetch_add_explicit(&number->others, 1, memory_order_relaxed);
}

static inline void pthread_entry_count(struct pthread_counted *entry,
                                       struct spur_lock_number *number, const void *object,
                                       uint32_t thread, bool is_alone)
{
    if (__builtin_expect(!pthread_entry_knows(entry, thread), 0))
        pthread_entry_begin(entry, object, thread);
    pthread_entry_add(entry, number, thread, is_alone);
}

static inline bool pthread_entry_left(const struct pthread_counted *entry)
{
    return atomic_load_explicit(&entry->left, memory_order_relaxed) > 0;
}

/* An acquisition without waiting: is it recorded? Readers and signals may come at the same time. */
static inline bool pthread_entry_is_recorded(_Atomic int32_t *left)
{
    if (atomic_load_explicit(left, memory_order_relaxed) <= 0)
        return false;
    atomic_fetch_sub_explicit(left, 1, memory_order_relaxed);
    return true;
}

static inline void pthread_entry_waits(struct pthread_counted *entry, int32_t calm)
{
    atomic_store_explicit(&entry->left, calm, memory_order_seq_cst);
    atomic_store_explicit(&entry->left_signals, calm, memory_order_relaxed);
    atomic_store_explicit(&entry->is_mere, false, memory_order_relaxed);
}

#endif
