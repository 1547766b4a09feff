/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_count.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>

#include "wrappers/pthread/pthread_emit.h"
#include "wrappers/pthread/pthread_entries.h"
#include "wrappers/pthread/pthread_holds.h"

/* ---- held locks ---- */

static _Atomic(struct pthread_counting *) all;
static _Atomic uint32_t n_threads;
/*
 * A signal handler may fork and clear the pointer in the child: each function reads the pointer
 * once.
 */
static __thread struct pthread_counting *volatile self __attribute__((tls_model("initial-exec")));

/* The ring that an ended thread has left, or a new ring. */
static struct pthread_counting *get_counting(void)
{
    for (struct pthread_counting *c = atomic_load(&all); c; c = c->next)
        if (!atomic_exchange(&c->is_used, true))
            return c;
    struct pthread_counting *c = spur_mem_new(sizeof *c);
    if (!c)
        return NULL;
    atomic_store(&c->is_used, true);
    c->next = atomic_load(&all);
    while (!atomic_compare_exchange_weak(&all, &c->next, c)) {
    }
    return c;
}

static __attribute__((noinline)) struct pthread_counting *begin_counting(uint32_t generation)
{
    spur_quiet_begin();
    spur_inside_begin(); /* see lock() in pthread_record.c */
    struct pthread_counting *c = get_counting();
    if (c) {
        c->number = atomic_fetch_add(&n_threads, 1);
        c->generation = generation;
        c->calm = 0;
        c->used = 0;
        atomic_store(&c->location, spur_thread_number());
    }
    self = c;
    spur_inside_end();
    spur_quiet_end();
    return c;
}

/*
 * Fibres, and programs that use a mutex as a semaphore, release a lock in another thread than the
 * thread of the acquisition. If several readers hold the lock, the right reader is not known.
 */
static void remove_elsewhere(const struct pthread_counted *entry)
{
    struct pthread_held *only = NULL;
    int n = 0;
    for (struct pthread_counting *c = atomic_load(&all); c; c = c->next)
        for (uint32_t i = 0; i < PTHREAD_HOLDS; i++)
            if (atomic_load_explicit(&c->held[i].entry, memory_order_relaxed) == entry) {
                only = &c->held[i];
                n++;
            }
    if (n == 1)
        atomic_store_explicit(&only->entry, NULL, memory_order_release);
}

void pthread_count_thread_end(void)
{
    struct pthread_counting *c = self;
    if (!c)
        return;
    for (uint32_t i = 0; i < PTHREAD_HOLDS; i++) {
        struct pthread_counted *entry = atomic_exchange(&c->held[i].entry, NULL);
        if (entry)
            pthread_entry_end(entry);
    }
    self = NULL;
    atomic_store(&c->is_used, false);
}

/* ---- records ---- */

/*
 * The number of the lock in records. At the same address there may be a new lock since the count.
 */
static void put_holding(struct spur_loc *loc, uint32_t thread, const struct pthread_hold *held,
                        const void *lock)
{
    spur_put_holding(loc, &(struct spur_holding){.lock = spur_lock_number(lock),
                                                 .thread = thread,
                                                 .since = held->since,
                                                 .taken = held->taken});
}

static void put_late(const struct pthread_frame *frame, const struct pthread_hold *held,
                     const void *lock)
{
    put_holding(frame->loc, spur_thread_number(), held, lock);
    pthread_emit_late(frame, lock);
    pthread_entry_uncount(held->entry);
}

/* The outermost acquisition, if the thread holds the lock. */
static __attribute__((noinline)) void put_holder(struct spur_loc *loc,
                                                 const struct pthread_counting *c, const void *lock)
{
    struct pthread_hold first = {.since = UINT64_MAX}, one;
    for (uint32_t i = 0; i < PTHREAD_HOLDS; i++)
        if (pthread_hold_read(&c->held[i], lock, &one) && one.since < first.since)
            first = one;
    if (first.entry)
        put_holding(loc, atomic_load(&c->location), &first, lock);
}

void pthread_count_entered(struct pthread_frame *frame, const struct pthread_tried *tried)
{
    if (tried->since) {
        const struct pthread_hold late = {tried->entry, tried->since, tried->taken};
        put_late(frame, &late, tried->lock);
        pthread_emit_released(frame, tried->lock);
        frame->released = NULL; /* for good */
        return;
    }
    if (!tried->lock || tried->is_done)
        return;
    const struct pthread_counting *own = self;
    for (const struct pthread_counting *c = atomic_load(&all); c; c = c->next)
        if (c != own)
            put_holder(frame->loc, c, tried->lock);
}

/* ---- verdicts ---- */

static const enum spur_counted_kind kinds[] = {[PTHREAD_LOCK] = SPUR_COUNTED_LOCK,
                                               [PTHREAD_SHARED] = SPUR_COUNTED_LOCK,
                                               [PTHREAD_SEMAPHORE] = SPUR_COUNTED_SEMAPHORE,
                                               [PTHREAD_CONDITION] = SPUR_COUNTED_CONDITION};

/* The own locks of an interpreter say nothing about the script. */
static bool is_mere(const struct pthread_tried *tried)
{
    return spur_locks_are_interpreters(tried->caller->address);
}

static bool is_busy(const struct pthread_counting *c)
{
    return c && c->calm >= PTHREAD_BUSY;
}

static struct pthread_counted *new_entry(const struct pthread_counting *c,
                                         const struct pthread_tried *tried, const void *object)
{
    const bool mere = is_mere(tried);
    struct pthread_counted *entry =
        pthread_entry_of(object, kinds[tried->what], mere || is_busy(c) ? 0 : PTHREAD_FIRST);
    if (entry && mere)
        atomic_store(&entry->is_mere, true);
    return entry;
}

/*
 * Generation of the process of the table. A fork without handlers makes a new process: one thread
 * of the child clears the table, and until then calls of the other threads are recorded.
 */
static _Atomic uint32_t generation, renewing;

static __attribute__((noinline)) bool renew(uint32_t now)
{
    if (atomic_exchange(&renewing, now) != now)
        pthread_count_forked();
    return atomic_load(&generation) == now;
}

static inline bool counts_for(const struct pthread_counting *c, uint32_t now)
{
    return c && c->generation == now;
}

bool pthread_count_may(struct pthread_tried *tried, const void *object, enum pthread_counts what)
{
    uint32_t now;
    if (!spur_is_steady(&now))
        return false;
    if (__builtin_expect(atomic_load_explicit(&generation, memory_order_relaxed) != now, 0) &&
        !renew(now))
        return false;
    struct pthread_counting *c = self;
    if (__builtin_expect(!counts_for(c, now), 0) && !(c = begin_counting(now)))
        return false;
    tried->what = what;
    tried->entry = pthread_entry_find(object);
    if (__builtin_expect(!tried->entry, 0))
        tried->entry = new_entry(c, tried, object);
    return tried->entry != NULL;
}

static inline void add_calm(struct pthread_counting *c)
{
    c->calm += c->calm < PTHREAD_BUSY;
}

/*
 * The object was acquired without waiting. The thread may have changed during the real function, or
 * may belong to a child of fork(), without any count yet.
 */
static enum pthread_verdict take(struct pthread_tried *tried, int *ret, const void *object, int got)
{
    const bool holds = tried->what <= PTHREAD_SHARED;
    struct pthread_counting *c = self;
    if (c)
        add_calm(c);
    *ret = tried->ret = got;
    tried->is_done = true;
    if (holds && pthread_emit_holds(object))
        return PTHREAD_RECORDS;
    /* Within another acquisition of the lock by the thread: like the outer acquisition. */
    if (pthread_entry_left(tried->entry) && !(holds && c && pthread_hold_is_there(c, object)) &&
        pthread_entry_is_recorded(&tried->entry->left))
        return PTHREAD_RECORDS;
    if (!c)
        return PTHREAD_IS_DONE;
    pthread_entry_count(tried->entry, &tried->entry->cell->acquisitions, object, c->number,
                        tried->what == PTHREAD_LOCK);
    if (holds)
        pthread_hold_push(c, tried->entry, tried->caller->address);
    return PTHREAD_IS_DONE;
}

/* ---- the quick way ---- */

/* The entry of an object, if the thread has counted the object before and may count now. */
static inline struct pthread_counted *find_quick(const struct pthread_counting *c,
                                                 const void *object, const void *caller)
{
    uint32_t now;
    if (!c || pthread_mode_from(caller) != PTHREAD_COUNTED || !spur_is_steady(&now) ||
        !counts_for(c, now))
        return NULL;
    struct pthread_counted *entry = pthread_entry_find(object);
    return entry && pthread_entry_knows(entry, c->number) ? entry : NULL;
}

struct pthread_counted *pthread_quick_find(const void *lock, const void *caller)
{
    struct pthread_counted *entry = find_quick(self, lock, caller);
    return entry && !pthread_entry_left(entry) && !pthread_emit_holds(lock) ? entry : NULL;
}

/*
 * Not inlined: after the real function the address of `self` may be the address in another thread.
 */
__attribute__((noinline)) void pthread_quick_count(struct pthread_counted *entry, bool is_alone,
                                                   const void *taken)
{
    struct pthread_counting *c = self;
    if (!c)
        return;
    add_calm(c);
    pthread_entry_add(entry, &entry->cell->acquisitions, c->number, is_alone);
    pthread_hold_push(c, entry, taken);
}

bool pthread_quick_gives(const void *lock)
{
    struct pthread_counting *c = self;
    if (!c)
        return false;
    const uint32_t last = c->top - 1;
    const struct pthread_counted *entry = pthread_hold_entry(c, last);
    if (!entry || !pthread_entry_is(entry, lock) || pthread_entry_left(entry) ||
        pthread_emit_holds(lock))
        return false;
    pthread_hold_remove(c, last);
    return true;
}

bool pthread_quick_signals(const void *object, const void *caller)
{
    const struct pthread_counting *c = self;
    struct pthread_counted *entry = find_quick(c, object, caller);
    if (!entry || atomic_load_explicit(&entry->left_signals, memory_order_relaxed) > 0)
        return false;
    pthread_entry_add(entry, &entry->cell->signals, c->number, false);
    return true;
}

static bool is_got(int result)
{
    return result == 0 || result == EOWNERDEAD;
}

enum pthread_verdict pthread_count_tried(struct pthread_tried *tried, int *ret, const void *object,
                                         int got)
{
    if (is_got(got))
        return take(tried, ret, object, got);
    pthread_entry_waits(tried->entry, PTHREAD_CALM);
    tried->lock = tried->what <= PTHREAD_SHARED ? object : NULL;
    return PTHREAD_RECORDS;
}

enum pthread_verdict pthread_count_tries(struct pthread_tried *tried, int *ret, const void *object,
                                         int got)
{
    if (is_got(got))
        return take(tried, ret, object, got);
    pthread_entry_waits(tried->entry, PTHREAD_CALM);
    *ret = tried->ret = got;
    tried->is_done = true;
    return PTHREAD_RECORDS;
}

bool pthread_count_records(const struct pthread_counted *entry)
{
    return pthread_entry_left(entry);
}

void pthread_count_recorded(struct pthread_tried *tried, bool is_calm)
{
    if (is_calm)
        (void)pthread_entry_is_recorded(&tried->entry->left);
    else
        pthread_entry_waits(tried->entry, PTHREAD_CALM);
    struct pthread_counting *c = self;
    if (c && is_calm)
        add_calm(c);
}

enum pthread_verdict pthread_count_held(struct pthread_tried *tried, const void *lock)
{
    struct pthread_counting *c = self;
    struct pthread_hold held;
    if (pthread_emit_holds(lock))
        return PTHREAD_RECORDS;
    if (pthread_hold_pop(c, lock, &held)) {
        if (!pthread_entry_left(held.entry) || pthread_hold_is_there(c, lock))
            return PTHREAD_PASSES;
        tried->entry = held.entry;
        tried->lock = lock;
        tried->since = held.since;
        tried->taken = held.taken;
        return PTHREAD_RECORDS;
    }
    uint32_t now;
    if (!spur_is_steady(&now))
        return PTHREAD_RECORDS;
    const struct pthread_counted *entry = pthread_entry_find(lock);
    if (!entry)
        return PTHREAD_RECORDS;
    remove_elsewhere(entry);
    return pthread_entry_left(entry) ? PTHREAD_RECORDS : PTHREAD_PASSES;
}

enum pthread_verdict pthread_count_signals(struct pthread_tried *tried, const void *object,
                                           enum pthread_counts what)
{
    const struct pthread_counting *c;
    if (!pthread_count_may(tried, object, what) ||
        pthread_entry_is_recorded(&tried->entry->left_signals) || !(c = self))
        return PTHREAD_RECORDS;
    pthread_entry_count(tried->entry, &tried->entry->cell->signals, object, c->number, false);
    return PTHREAD_PASSES;
}

void pthread_count_waits(struct pthread_tried *tried, const void *object)
{
    if (pthread_count_may(tried, object, PTHREAD_CONDITION))
        pthread_entry_waits(tried->entry, PTHREAD_CALM);
}

enum pthread_verdict pthread_count_remade(struct pthread_tried *tried, const void *object)
{
    struct pthread_counted *entry = pthread_entry_find(object);
    const bool is_counted = entry ? !pthread_entry_left(entry) : is_busy(self) || is_mere(tried);
    if (entry)
        pthread_entry_end(entry);
    if (entry || is_counted) /* a number has one count */
        pthread_emit_forgotten(0, object);
    return is_counted ? PTHREAD_PASSES : PTHREAD_RECORDS;
}

/* ---- waits for conditions ---- */

bool pthread_count_gives(const struct pthread_frame *frame, const void *lock)
{
    struct pthread_hold held;
    if (!pthread_hold_pop(self, lock, &held))
        return false;
    if (!pthread_entry_left(held.entry))
        return true;
    put_late(frame, &held, lock);
    return false;
}

void pthread_count_takes(const struct pthread_frame *frame, const void *lock)
{
    struct pthread_counting *c = self;
    struct pthread_counted *entry = c ? pthread_entry_find(lock) : NULL;
    if (!entry)
        return;
    pthread_entry_count(entry, &entry->cell->acquisitions, lock, c->number, true);
    pthread_hold_push(c, entry, frame->taken);
}

void pthread_count_drops(const void *lock)
{
    struct pthread_hold held;
    (void)pthread_hold_pop(self, lock, &held);
}

/* ---- the process ---- */

/* Interpreters present from the start, found by a function of each. */
static void find_interpreters(void)
{
    static const char *const functions[] = {"Py_GetVersion", "napi_create_function"};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const void *address = dlsym(RTLD_DEFAULT, functions[i]);
        if (address)
            spur_locks_of_interpreter(address);
    }
    (void)dlerror(); // NOLINT(concurrency-mt-unsafe): per thread; our failure is not the program's
}

void pthread_count_start(void)
{
    find_interpreters();
    spur_before_end(pthread_entries_tell);
}

void pthread_count_forked(void)
{
    const uint32_t now = spur_generation();
    if (atomic_load(&generation) == now) /* a handler at fork() has counted already */
        return;
    atomic_store(&all, NULL);
    atomic_store(&n_threads, 0);
    self = NULL;
    pthread_entries_forked();
    atomic_store(&renewing, now);
    atomic_store(&generation, now);
}
