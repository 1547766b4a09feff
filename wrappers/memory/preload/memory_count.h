/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The amount of memory that the process holds. Each thread adds up its takings and returns. A
 * thread adds its sum to the sum of the process when its sum has grown to a step: no lock, and no
 * shared line of cache. The sum of the process lags behind by less than a step for each thread.
 */
#ifndef MEMORY_COUNT_H
#define MEMORY_COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/memory/memory_link.h"
#include "wrappers/memory/preload/memory_keep.h"

struct memory_mine {
    int64_t held;    /* not yet added to the sum of the process */
    int64_t highest; /* of `held` since the last adding, except for the present value */
    uint64_t calls;  /* counted so far */
    int64_t step;    /* 0 in a new or ended thread: all is added at once */
    bool is_watched; /* the end of the thread will be seen */
    /* Bytes of small blocks, up to the next sample. */
    int64_t until_sample;
};
extern _Thread_local struct memory_mine memory_mine __attribute__((tls_model("initial-exec")));

/* In a constructor. */
void memory_count_start(void);
void memory_count_connect(const struct memory_recorder *recorder);
struct memory_use memory_use_now(void);

/* Add the memory held by the thread, and record the sum if changed by a step. Keeps errno. */
void memory_count_add(void);

/* The mappings of the process itself have changed. And, without a lock: record the sum if changed
 * by a step. */
void memory_count_map(int64_t change);
void memory_count_tell(void);

static inline void memory_took(const void *p, size_t bytes, bool is_large,
                               struct memory_caller caller)
{
    memory_mine.calls++;
    memory_mine.held += (int64_t)bytes;
    memory_mine.until_sample -= (int64_t)bytes;
    /* The record of a block adds the memory of the thread, too: one value, with its reason. */
    if (__builtin_expect(memory_mine.until_sample < 0 || is_large, 0))
        memory_take_keeps(p, bytes, is_large, caller);
    if (__builtin_expect(memory_mine.held >= memory_mine.step, 0))
        memory_count_add();
}

static inline void memory_gave(size_t bytes)
{
    memory_mine.calls++;
    if (memory_mine.held > memory_mine.highest)
        memory_mine.highest = memory_mine.held;
    memory_mine.held -= (int64_t)bytes;
    if (__builtin_expect(memory_mine.held <= -memory_mine.step, 0))
        memory_count_add();
}

#endif
