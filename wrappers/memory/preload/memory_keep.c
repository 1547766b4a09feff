/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_keep.h"

#include <stdatomic.h>

#include "wrappers/memory/preload/memory_count.h"
#include "wrappers/memory/preload/memory_random.h"

struct memory_kept memory_kept = {.from = SIZE_MAX};

static const struct memory_recorder *records;
static _Atomic uint64_t n_threads;

/* What the thread needs for its samples; see also memory_mine. */
static _Thread_local struct {
    uint64_t random;
    bool is_seeded;
    uint32_t generation;        /* of the process, when it was */
    struct memory_caller outer; /* of the operator that calls malloc() or free() */
} mine;

void memory_keep_connect(const struct memory_recorder *recorder)
{
    records = recorder;
    memory_kept.is_on = recorder && recorder->from;
    memory_kept.from = memory_kept.is_on ? (size_t)recorder->from : SIZE_MAX;
    memory_mine.until_sample = 0;
}

/* ---- the filter ---- */

static void count_in(const void *p)
{
    _Atomic uint8_t *count = &memory_kept.count[memory_kept_hash(p)];
    uint8_t n = atomic_load_explicit(count, memory_order_relaxed);
    while (n < UINT8_MAX && !atomic_compare_exchange_weak(count, &n, (uint8_t)(n + 1)))
        ;
}

/* What has been full stays so: nobody knows how many there are. */
static void count_out(const void *p)
{
    _Atomic uint8_t *count = &memory_kept.count[memory_kept_hash(p)];
    uint8_t n = atomic_load_explicit(count, memory_order_relaxed);
    while (n > 0 && n < UINT8_MAX && !atomic_compare_exchange_weak(count, &n, (uint8_t)(n - 1)))
        ;
}

/* What an operator calls has its frame right below that of the operator. */
static struct memory_caller caller_of(struct memory_caller caller)
{
    enum { FRAMES = 512 }; /* bytes */
    uintptr_t below = (uintptr_t)mine.outer.frame - (uintptr_t)caller.frame;
    return mine.outer.address && below < FRAMES ? mine.outer : caller;
}

/* ---- blocks that are taken ---- */

static void keep(const void *p, const struct memory_block *block)
{
    if (records->took(p, block))
        count_in(p);
}

static int64_t draw(void)
{
    uint32_t generation = records->generation();
    if (!mine.is_seeded || mine.generation != generation)
        mine.random = memory_random_seed(records->seed(), atomic_fetch_add(&n_threads, 1));
    mine.is_seeded = true;
    mine.generation = generation;
    return (int64_t)memory_random_distance(&mine.random, records->from);
}

/* The distance counts the bytes of blocks that are not large. */
void memory_take_keeps(const void *p, size_t bytes, bool is_large, struct memory_caller caller)
{
    struct memory_block block = {.bytes = bytes, .caller = caller_of(caller).address};
    if (!memory_kept.is_on) {
        memory_mine.until_sample = INT64_MAX;
        return;
    }
    if (is_large) {
        memory_mine.until_sample += (int64_t)bytes;
        keep(p, &block);
        return;
    }
    if (!mine.is_seeded) { /* the first block of the thread */
        memory_mine.until_sample += draw();
        if (memory_mine.until_sample >= 0)
            return;
    }
    block.stands_for = memory_random_stands_for(bytes, records->from);
    memory_mine.until_sample = draw();
    keep(p, &block);
}

bool memory_map_kept(uintptr_t begin, const struct memory_block *block)
{
    return records->took((const void *)begin, block); // NOLINT(performance-no-int-to-ptr)
}

bool memory_map_given(uintptr_t begin, struct memory_block *block)
{
    return records->gave((const void *)begin, block); // NOLINT(performance-no-int-to-ptr)
}

/* ---- regions ---- */

struct memory_region memory_take_begins(unsigned call, size_t bytes, struct memory_caller caller)
{
    struct memory_region region = {.call = call, .is_large = memory_kept.is_on};
    if (region.is_large)
        region.entered = records->enter(call, bytes, caller_of(caller));
    return region;
}

struct memory_region memory_give_begins(unsigned call, const void *p, struct memory_block *block,
                                        struct memory_caller caller)
{
    struct memory_region region = {.call = call};
    struct memory_block given = {0};
    if (records->gave(p, &given)) {
        count_out(p);
        if (!given.stands_for)
            region.entered = records->enter(call, given.bytes, caller_of(caller));
    }
    if (block)
        *block = given;
    return region;
}

void memory_give_failed(const void *p, const struct memory_block *block)
{
    keep(p, block);
}

void memory_region_left(struct memory_region region)
{
    records->leave(region.call, region.entered);
}

/* ---- operators ---- */

/* One may call another one, which has its frame right below as well. */
void memory_operator_begins(struct memory_caller caller)
{
    mine.outer = (struct memory_caller){caller_of(caller).address, caller.frame};
}

void memory_operator_ends(void)
{
    mine.outer = (struct memory_caller){0};
}
