/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_count.h"

#include <errno.h>
#include <stdatomic.h>

#include "wrappers/pthread/pthread_emit.h"
#include "wrappers/pthread/pthread_entries.h"

/* ---- what threads hold ---- */

enum { HOLDS = 16 };

/* Written by the thread, read by others: `entry` is written last, and cleared first. */
struct held {
    _Atomic(struct pthread_counted *) entry;
    _Atomic uint64_t since;
    _Atomic(const void *) taken;
};

/* The same as a copy. */
struct hold {
    struct pthread_counted *entry;
    uint64_t since;
    const void *taken;
};

/* Never freed: others may read it. A thread that has ended leaves it to another one. */
struct counting {
    struct counting *next;
    _Atomic bool is_used;
    _Atomic uint32_t location; /* number of the thread */
    uint32_t number;           /* dense, of the threads that have counted */
    uint32_t calm;             /* acquisitions without waiting */
    uint32_t n;
    struct held held[HOLDS];
};

static _Atomic(struct counting *) all;
static _Atomic uint32_t n_threads;
static __thread struct counting *self __attribute__((tls_model("initial-exec")));

/* One that another thread has left, or a new one. */
static struct counting *get_counting(void)
{
    for (struct counting *c = atomic_load(&all); c; c = c->next)
        if (!atomic_exchange(&c->is_used, true))
            return c;
    struct counting *c = spur_mem_new(sizeof *c);
    if (!c)
        return NULL;
    atomic_store(&c->is_used, true);
    c->next = atomic_load(&all);
    while (!atomic_compare_exchange_weak(&all, &c->next, c)) {
    }
    return c;
}

static __attribute__((noinline)) struct counting *begin_counting(void)
{
    spur_quiet_begin();
    spur_inside_begin(); /* see lock() in pthread_record.c */
    struct counting *c = get_counting();
    if (c) {
        c->number = atomic_fetch_add(&n_threads, 1);
        c->n = 0;
        c->calm = 0;
        atomic_store(&c->location, spur_thread_number());
    }
    self = c;
    spur_inside_end();
    spur_quiet_end();
    return c;
}

/* The oldest gives way: what a thread never releases stays here. */
static void push(struct counting *c, struct pthread_counted *entry, const void *taken)
{
    if (c->n == HOLDS) {
        atomic_store_explicit(&c->held[0].entry, NULL, memory_order_relaxed);
        for (uint32_t i = 1; i < HOLDS; i++) {
            struct held *to = &c->held[i - 1], *from = &c->held[i];
            atomic_store(&to->since, atomic_load(&from->since));
            atomic_store(&to->taken, atomic_load(&from->taken));
            atomic_store(&to->entry, atomic_exchange(&from->entry, NULL));
        }
        c->n--;
    }
    struct held *held = &c->held[c->n++];
    atomic_store_explicit(&held->since, spur_time(), memory_order_relaxed);
    atomic_store_explicit(&held->taken, taken, memory_order_relaxed);
    atomic_store_explicit(&held->entry, entry, memory_order_release);
}

/* The innermost of the lock is taken out; false: there is none. */
static bool pop(struct counting *c, const void *lock, struct hold *copy)
{
    for (uint32_t i = c ? c->n : 0; i-- > 0;) {
        struct held *held = &c->held[i];
        struct pthread_counted *entry = atomic_load_explicit(&held->entry, memory_order_relaxed);
        if (!entry || !pthread_entry_is(entry, lock))
            continue;
        copy->since = atomic_load_explicit(&held->since, memory_order_relaxed);
        copy->taken = atomic_load_explicit(&held->taken, memory_order_relaxed);
        copy->entry = entry;
        atomic_store_explicit(&held->entry, NULL, memory_order_release);
        while (c->n && !atomic_load_explicit(&c->held[c->n - 1].entry, memory_order_relaxed))
            c->n--;
        return true;
    }
    return false;
}

void pthread_count_thread_end(void)
{
    struct counting *c = self;
    if (!c)
        return;
    for (uint32_t i = 0; i < HOLDS; i++) {
        struct pthread_counted *entry = atomic_exchange(&c->held[i].entry, NULL);
        if (entry)
            pthread_entry_forget(entry);
    }
    self = NULL;
    atomic_store(&c->is_used, false);
}

/* ---- records ---- */

static void put_holding(struct spur_loc *loc, uint32_t thread, const struct hold *held)
{
    spur_put_holding(loc, &(struct spur_holding){.lock = pthread_entry_id(held->entry),
                                                 .thread = thread,
                                                 .since = held->since,
                                                 .taken = held->taken});
}

static void put_late(const struct pthread_frame *frame, const struct hold *held, const void *lock)
{
    put_holding(frame->loc, spur_thread_number(), held);
    pthread_emit_late(frame, lock);
    pthread_entry_uncount(held->entry);
}

/* The same lock in the same place before and after: it was held meanwhile. */
static void put_holder(struct spur_loc *loc, const struct counting *c, const struct held *held,
                       const void *lock)
{
    struct hold copy;
    copy.entry = atomic_load_explicit(&held->entry, memory_order_acquire);
    if (!copy.entry || !pthread_entry_is(copy.entry, lock))
        return;
    copy.since = atomic_load_explicit(&held->since, memory_order_acquire);
    copy.taken = atomic_load_explicit(&held->taken, memory_order_acquire);
    if (atomic_load_explicit(&held->entry, memory_order_relaxed) == copy.entry &&
        atomic_load_explicit(&held->since, memory_order_relaxed) == copy.since)
        put_holding(loc, atomic_load(&c->location), &copy);
}

void pthread_count_entered(struct pthread_frame *frame, const struct pthread_tried *tried)
{
    if (tried->since) {
        const struct hold late = {tried->entry, tried->since, tried->taken};
        put_late(frame, &late, tried->lock);
        pthread_emit_released(frame, tried->lock);
        frame->released = NULL; /* for good */
        return;
    }
    if (!tried->lock || tried->is_done)
        return;
    for (const struct counting *c = atomic_load(&all); c; c = c->next)
        for (uint32_t i = 0; i < HOLDS && c != self; i++)
            put_holder(frame->loc, c, &c->held[i], tried->lock);
}

/* ---- verdicts ---- */

static bool is_busy_thread(void)
{
    return self && self->calm >= PTHREAD_BUSY;
}

/* Of the process; a way of forking that runs no handlers makes another one. */
static _Atomic uint32_t generation;

static const enum spur_counted_kind kinds[] = {[PTHREAD_LOCK] = SPUR_COUNTED_LOCK,
                                               [PTHREAD_SHARED] = SPUR_COUNTED_LOCK,
                                               [PTHREAD_SEMAPHORE] = SPUR_COUNTED_SEMAPHORE,
                                               [PTHREAD_CONDITION] = SPUR_COUNTED_CONDITION};

bool pthread_count_may(struct pthread_tried *tried, const void *object, enum pthread_counts what)
{
    uint32_t now;
    if (!spur_is_steady(&now))
        return false;
    if (__builtin_expect(atomic_load_explicit(&generation, memory_order_relaxed) != now, 0))
        pthread_count_forked();
    if (__builtin_expect(!self, 0) && !begin_counting())
        return false;
    tried->what = what;
    tried->entry = pthread_entry_find(object);
    if (__builtin_expect(!tried->entry, 0))
        tried->entry = pthread_entry_of(object, kinds[what], is_busy_thread() ? 0 : PTHREAD_FIRST);
    return tried->entry != NULL;
}

/* It was acquired without waiting. */
static enum pthread_verdict take(struct pthread_tried *tried, int *ret, const void *object, int got)
{
    const bool holds = tried->what <= PTHREAD_SHARED;
    self->calm += self->calm < PTHREAD_BUSY;
    *ret = tried->ret = got;
    tried->is_done = true;
    if (pthread_entry_is_recorded(&tried->entry->left) || (holds && pthread_emit_holds(object)))
        return PTHREAD_RECORDS;
    pthread_entry_count(tried->entry, &tried->entry->acquisitions, object, self->number,
                        tried->what == PTHREAD_LOCK);
    if (holds)
        push(self, tried->entry, tried->caller->address);
    return PTHREAD_IS_DONE;
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
    self->calm += is_calm && self->calm < PTHREAD_BUSY;
}

enum pthread_verdict pthread_count_held(struct pthread_tried *tried, const void *lock)
{
    struct hold held;
    if (pthread_emit_holds(lock))
        return PTHREAD_RECORDS;
    if (pop(self, lock, &held)) {
        if (!pthread_entry_left(held.entry))
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
    return entry && !pthread_entry_left(entry) ? PTHREAD_PASSES : PTHREAD_RECORDS;
}

enum pthread_verdict pthread_count_signals(struct pthread_tried *tried, const void *object,
                                           enum pthread_counts what)
{
    if (!pthread_count_may(tried, object, what) ||
        pthread_entry_is_recorded(&tried->entry->left_signals))
        return PTHREAD_RECORDS;
    pthread_entry_count(tried->entry, &tried->entry->signals, object, self->number, false);
    return PTHREAD_PASSES;
}

void pthread_count_waits(struct pthread_tried *tried, const void *object)
{
    if (pthread_count_may(tried, object, PTHREAD_CONDITION))
        pthread_entry_waits(tried->entry, PTHREAD_CALM);
}

enum pthread_verdict pthread_count_remade(struct pthread_tried *tried, const void *object)
{
    (void)tried;
    struct pthread_counted *entry = pthread_entry_find(object);
    const bool is_counted = entry ? !pthread_entry_left(entry) : is_busy_thread();
    if (entry)
        pthread_entry_forget(entry);
    if (!is_counted)
        return PTHREAD_RECORDS;
    pthread_emit_forgotten(0, object);
    return PTHREAD_PASSES;
}

/* ---- waits for conditions ---- */

bool pthread_count_gives(const struct pthread_frame *frame, const void *lock)
{
    struct hold held;
    if (!pop(self, lock, &held))
        return false;
    if (!pthread_entry_left(held.entry))
        return true;
    put_late(frame, &held, lock);
    return false;
}

void pthread_count_takes(const struct pthread_frame *frame, const void *lock)
{
    struct pthread_counted *entry = self ? pthread_entry_find(lock) : NULL;
    if (!entry)
        return;
    pthread_entry_count(entry, &entry->acquisitions, lock, self->number, true);
    push(self, entry, frame->taken);
}

void pthread_count_drops(const void *lock)
{
    struct hold held;
    if (self && self->n)
        (void)pop(self, lock, &held);
}

/* ---- the process ---- */

void pthread_count_start(void)
{
    spur_before_end(pthread_entries_tell);
}

void pthread_count_forked(void)
{
    atomic_store(&generation, spur_generation());
    atomic_store(&all, NULL);
    atomic_store(&n_threads, 0);
    self = NULL;
    pthread_entries_forked();
}
