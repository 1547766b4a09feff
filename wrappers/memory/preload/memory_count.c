/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_count.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/*
 * A step of the sum is recorded when the step is STEP bytes and a share of the peak. So growth by a
 * thousand times takes a thousand records or so. A program that goes up and down all the time makes
 * more records: after MANY records a step is twice as large.
 */
enum { STEP = 64 << 10, SHARE_OF_PEAK = 128, MANY = 100000 };

_Thread_local struct memory_mine memory_mine;

struct sum {
    _Atomic int64_t held;
    _Atomic int64_t peak;
    _Atomic int64_t told; /* at the last memory_use_now() */
};

static struct {
    struct sum heap;
    struct sum maps;
    _Atomic uint32_t steps;
    _Atomic(const struct memory_recorder *) recorder;
    pthread_key_t end_key;
    _Atomic bool has_key;
} process;

/* ---- the end of a thread ---- */

/* Destructors called later may still take and give back memory. */
static void thread_ends(void *unused)
{
    (void)unused;
    memory_mine.step = 0;
    memory_count_add();
}

/* The value is of no use, but must not be NULL. A low number of a key takes no memory. */
static void watch(void)
{
    const struct memory_recorder *recorder = atomic_load(&process.recorder);
    if (!atomic_load(&process.has_key))
        return;
    memory_mine.is_watched = true;
    memory_mine.step = recorder && recorder->step ? (int64_t)recorder->step : STEP;
    (void)pthread_setspecific(process.end_key, &memory_mine);
}

void memory_count_start(void)
{
    if (!atomic_load(&process.has_key))
        atomic_store(&process.has_key, pthread_key_create(&process.end_key, thread_ends) == 0);
}

/* ---- the sum ---- */

/* `highest`: the most bytes at any moment of the change. */
static void add(struct sum *sum, int64_t change, int64_t highest)
{
    highest += atomic_fetch_add_explicit(&sum->held, change, memory_order_relaxed);
    int64_t peak = atomic_load_explicit(&sum->peak, memory_order_relaxed);
    while (highest > peak &&
           !atomic_compare_exchange_weak_explicit(&sum->peak, &peak, highest, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static void fold(void)
{
    int64_t held = memory_mine.held;
    int64_t highest = memory_mine.highest > held ? memory_mine.highest : held;
    memory_mine.held = memory_mine.highest = 0;
    add(&process.heap, held, highest);
}

static void tell(struct sum *sum, uint64_t *bytes, uint64_t *most)
{
    int64_t held = atomic_load_explicit(&sum->held, memory_order_relaxed);
    int64_t peak = atomic_load_explicit(&sum->peak, memory_order_relaxed);
    atomic_store_explicit(&sum->told, held, memory_order_relaxed);
    *bytes = held > 0 ? (uint64_t)held : 0;
    *most = peak > 0 ? (uint64_t)peak : 0;
}

struct memory_use memory_use_now(void)
{
    struct memory_use use;
    fold();
    tell(&process.heap, &use.bytes, &use.peak);
    tell(&process.maps, &use.mapped, &use.mapped_peak);
    atomic_fetch_add_explicit(&process.steps, 1, memory_order_relaxed);
    return use;
}

static int64_t step_of(const struct memory_recorder *recorder, const struct sum *sum)
{
    int64_t share = atomic_load_explicit(&sum->peak, memory_order_relaxed) / SHARE_OF_PEAK;
    uint32_t doubled = atomic_load_explicit(&process.steps, memory_order_relaxed) / MANY;
    if (recorder->step)
        return (int64_t)recorder->step;
    return (share > STEP ? share : STEP) << (doubled < 16 ? doubled : 16);
}

static bool has_changed(const struct memory_recorder *recorder, const struct sum *sum)
{
    int64_t held = atomic_load_explicit(&sum->held, memory_order_relaxed);
    int64_t told = atomic_load_explicit(&sum->told, memory_order_relaxed);
    return llabs(held - told) >= step_of(recorder, sum);
}

void memory_count_add(void)
{
    int saved = errno;
    const struct memory_recorder *recorder =
        atomic_load_explicit(&process.recorder, memory_order_acquire);
    if (!memory_mine.is_watched)
        watch();
    fold();
    if (recorder && has_changed(recorder, &process.heap))
        recorder->changed();
    errno = saved;
}

void memory_count_map(int64_t change)
{
    add(&process.maps, change, change);
}

void memory_count_tell(void)
{
    int saved = errno;
    const struct memory_recorder *recorder =
        atomic_load_explicit(&process.recorder, memory_order_acquire);
    if (recorder && has_changed(recorder, &process.maps))
        recorder->changed();
    errno = saved;
}

void memory_count_connect(const struct memory_recorder *recorder)
{
    atomic_store(&process.recorder, recorder);
    memory_mine.is_watched = false; /* the step may be different now */
    memory_mine.step = 0;
}
