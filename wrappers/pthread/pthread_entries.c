/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/pthread/pthread_entries.h"

#include <pthread.h>
#include <stddef.h>

#include "agent/spur_agent.h"
#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/pthread/pthread_frame.h"

enum { KEPT = 1 << 16 }; /* entries of objects that have ended */

/* Bits of the threads behind the first 64 threads. */
struct pthread_more_threads {
    struct pthread_more_threads *next;
    uint32_t first;
    _Atomic uint64_t bits;
};

_Atomic(struct pthread_counted *) pthread_entries[PTHREAD_ENTRIES + PTHREAD_ENTRY_WAYS];
static struct wrapper_lock table_lock;
static _Atomic(struct pthread_counted *) every;
static _Atomic uint32_t n_every;
/* Counts of entries that were reused for other objects; NULL: nothing. */
static struct spur_lock_cell *rest;

/*
 * As pthread_shield_raise(), for calls that are only counted. Blocked signals do not suffice: the
 * agent disables cancellation around system calls, and the C library ends a thread that is
 * cancelled and cancellable at any instruction when the agent enables cancellation again.
 */
static __attribute__((noinline)) int raise_shield(void)
{
    int type = PTHREAD_CANCEL_DEFERRED;
    if (pthread_is_async)
        PTHREAD_REAL(pthread_setcanceltype)(PTHREAD_CANCEL_DEFERRED, &type);
    return type;
}

static __attribute__((noinline)) void lower_shield(int type)
{
    if (type != PTHREAD_CANCEL_DEFERRED)
        PTHREAD_REAL(pthread_setcanceltype)(type, NULL);
}

/* No handler of the thread comes in between, and no wrapped call below is recorded. */
static int lock(void)
{
    const int type = raise_shield();
    spur_quiet_begin();
    spur_inside_begin();
    wrapper_lock_take(&table_lock);
    return type;
}

static void unlock(int type)
{
    wrapper_lock_give(&table_lock);
    spur_inside_end();
    spur_quiet_end();
    lower_shield(type);
}

static uint64_t numbers_of(const struct spur_lock_cell *cell)
{
    return spur_lock_sum(&cell->acquisitions) + spur_lock_sum(&cell->signals);
}

static struct spur_lock_cell *new_cell(void)
{
    struct spur_lock_cell *cell = spur_lock_cell_new();
    return cell ? cell : spur_mem_new(sizeof *cell);
}

static bool add_rest(const struct spur_lock_cell *cell)
{
    if (!rest && !(rest = new_cell()))
        return false;
    atomic_fetch_add(&rest->acquisitions.others, spur_lock_sum(&cell->acquisitions));
    atomic_fetch_add(&rest->signals.others, spur_lock_sum(&cell->signals));
    atomic_store(&rest->lock, SPUR_COUNTS_REST + 1);
    return true;
}

/*
 * The entry of an ended object is free if the entry has no counts, or if there are too many
 * entries.
 */
static bool may_reuse(struct pthread_counted *entry)
{
    if (atomic_load(&entry->key))
        return false;
    if (!numbers_of(entry->cell))
        return true;
    return atomic_load(&n_every) >= KEPT && add_rest(entry->cell);
}

static struct pthread_counted *make(void)
{
    struct pthread_counted *entry = spur_mem_new(sizeof *entry);
    if (!entry || !(entry->cell = new_cell()))
        return NULL;
    entry->next = atomic_load(&every);
    atomic_store(&every, entry);
    atomic_fetch_add(&n_every, 1);
    return entry;
}

static void begin(struct pthread_counted *entry, const void *object, enum spur_counted_kind kind,
                  int32_t first)
{
    struct spur_lock_cell *cell = entry->cell;
    atomic_store(&cell->lock, 0);
    cell->acquisitions = cell->signals = (struct spur_lock_number){0};
    atomic_store(&cell->threads, 0);
    atomic_store(&cell->kind, kind);
    atomic_store(&entry->first, 0);
    atomic_store(&entry->threads, 0);
    atomic_store(&entry->more, NULL);
    atomic_store(&entry->is_mere, false);
    atomic_store(&entry->left, first);
    atomic_store(&entry->left_signals, first);
    atomic_store(&entry->key, (uintptr_t)object);
}

static struct pthread_counted *add(const void *object, enum spur_counted_kind kind, int32_t first)
{
    _Atomic(struct pthread_counted *) *at = pthread_entry_place((uintptr_t)object);
    struct pthread_counted *entry = pthread_entry_find(object);
    for (int i = 0; i < PTHREAD_ENTRY_WAYS && !entry; i++) {
        struct pthread_counted *old = atomic_load(&at[i]);
        if (old && atomic_load(&old->key))
            continue;
        entry = old && may_reuse(old) ? old : make();
        if (!entry)
            return NULL;
        entry->place = &at[i];
        begin(entry, object, kind, first);
        atomic_store_explicit(&at[i], entry, memory_order_release);
    }
    return entry;
}

struct pthread_counted *pthread_entry_of(const void *object, enum spur_counted_kind kind,
                                         int32_t first)
{
    struct pthread_counted *entry = pthread_entry_find(object);
    if (__builtin_expect(entry != NULL, 1))
        return entry;
    const int type = lock();
    entry = add(object, kind, first);
    unlock(type);
    return entry;
}

/* The number first: a caller that finds no entry any more makes a new entry, with a new number. */
void pthread_entry_end(struct pthread_counted *entry)
{
    struct spur_lock_cell *cell = entry->cell;
    const uintptr_t object = atomic_load(&entry->key);
    const int type = raise_shield();
    if (object)
        spur_object_forget((const void *)object); // NOLINT(performance-no-int-to-ptr)
    if (atomic_load(&entry->is_mere) && numbers_of(cell)) {
        const int deferred = lock();
        if (add_rest(cell)) {
            atomic_store(&cell->lock, 0);
            cell->acquisitions = cell->signals = (struct spur_lock_number){0};
        }
        unlock(deferred);
    }
    atomic_store(&entry->key, 0);
    lower_shield(type);
}

/* ---- counting ---- */

static struct pthread_more_threads *more_of(struct pthread_counted *entry, uint32_t first)
{
    struct pthread_more_threads *more = atomic_load(&entry->more);
    while (more && more->first != first)
        more = more->next;
    return more;
}

static __attribute__((noinline)) _Atomic uint64_t *late_bits(struct pthread_counted *entry,
                                                             uint32_t thread)
{
    const uint32_t first = thread / PTHREAD_WORD_BITS;
    struct pthread_more_threads *more = more_of(entry, first);
    if (more)
        return &more->bits;
    const int type = lock();
    more = more_of(entry, first);
    if (!more && (more = spur_mem_new(sizeof *more))) {
        more->first = first;
        more->next = atomic_load(&entry->more);
        atomic_store(&entry->more, more);
    }
    unlock(type);
    return more ? &more->bits : NULL;
}

static bool is_new_to(struct pthread_counted *entry, uint32_t thread)
{
    const uint64_t bit = UINT64_C(1) << thread % PTHREAD_WORD_BITS;
    if (thread < PTHREAD_WORD_BITS)
        return !(atomic_fetch_or(&entry->threads, bit) & bit);
    _Atomic uint64_t *bits = late_bits(entry, thread);
    return bits && !(atomic_fetch_or(bits, bit) & bit);
}

/*
 * The entry gets the number at the first count and not at the end of the process: the end must not
 * wait for a lock of the agent.
 */
void pthread_entry_begin(struct pthread_counted *entry, const void *object, uint32_t thread)
{
    if (is_new_to(entry, thread))
        atomic_fetch_add(&entry->cell->threads, 1);
    uint32_t nobody = 0;
    (void)atomic_compare_exchange_strong(&entry->first, &nobody, thread + 1);
    if (atomic_load(&entry->cell->lock))
        return;
    const int type = lock();
    if (!atomic_load(&entry->cell->lock) && pthread_entry_is(entry, object))
        atomic_store(&entry->cell->lock, spur_lock_number(object) + 1);
    unlock(type);
}

void pthread_entry_uncount(struct pthread_counted *entry)
{
    atomic_fetch_sub_explicit(&entry->cell->acquisitions.others, 1, memory_order_relaxed);
}

/* ---- the end ---- */

static void tell(const struct spur_lock_cell *cell)
{
    const uint32_t lock = atomic_load(&cell->lock);
    if (!lock || !numbers_of(cell))
        return;
    spur_def_lock_count(
        &(struct spur_lock_count){.lock = lock - 1,
                                  .threads = atomic_load(&cell->threads),
                                  .acquisitions = spur_lock_sum(&cell->acquisitions),
                                  .signals = spur_lock_sum(&cell->signals),
                                  .kind = (uint8_t)atomic_load(&cell->kind)});
}

void pthread_entries_tell(bool goes_on)
{
    (void)goes_on;
    if (atomic_load(&every))
        spur_def_lock_count(&(struct spur_lock_count){.lock = SPUR_COUNTS_VOID});
    for (const struct pthread_counted *e = atomic_load(&every); e; e = e->next)
        tell(e->cell);
    if (rest)
        tell(rest);
}

/* The entries stay at their addresses: the child has one thread, and makes new entries. */
void pthread_entries_forked(void)
{
    for (const struct pthread_counted *e = atomic_load(&every); e; e = e->next)
        if (e->place) /* else another thread was at work on the entry */
            atomic_store(e->place, NULL);
    atomic_store(&every, NULL);
    atomic_store(&n_every, 0);
    rest = NULL;
    wrapper_lock_give(&table_lock);
}
