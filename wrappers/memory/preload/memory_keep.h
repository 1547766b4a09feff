/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The recorded blocks (--memory=SIZE): blocks of SIZE bytes or more, and samples of smaller blocks.
 * This header has the code on the way of each call; memory_keep.c has the code for the few recorded
 * blocks.
 */
#ifndef MEMORY_KEEP_H
#define MEMORY_KEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/memory/memory_link.h"

/* The caller of a wrapper. */
#define MEMORY_CALLER ((struct memory_caller){__builtin_return_address(0), __builtin_dwarf_cfa()})

/*
 * The region of a call. Only for calls that throw no exceptions: a cleanup would need the program's
 * unwinder, and a program may have no unwinder.
 */
struct memory_region {
    void *entered; /* NULL: no region */
    unsigned call;
    bool is_large; /* the new block is to be recorded */
};

enum { MEMORY_KEPT_BITS = 16 };

/* Changes only when libspur.so connects, and with each recorded block. */
extern struct memory_kept {
    size_t from; /* SIZE_MAX: nothing is recorded */
    bool is_on;
    /* Number of recorded blocks with the same hash of their address; UINT8_MAX: many. */
    _Atomic uint8_t count[1 << MEMORY_KEPT_BITS];
} memory_kept;

static inline size_t memory_kept_hash(const void *p)
{
    enum { SMALLEST = 4, BITS = 64 };
    return (size_t)(((uint64_t)(uintptr_t)p >> SMALLEST) * 0x9e3779b97f4a7c15u >>
                    (BITS - MEMORY_KEPT_BITS));
}

/* May the block be recorded? */
static inline bool memory_may_keep(const void *p)
{
    return __builtin_expect(memory_kept.is_on, 0) &&
           __builtin_expect(atomic_load_explicit(&memory_kept.count[memory_kept_hash(p)],
                                                 memory_order_relaxed),
                            0);
}

void memory_keep_connect(const struct memory_recorder *recorder);

/* A call for `bytes` bytes begins. */
struct memory_region memory_take_begins(unsigned call, size_t bytes, struct memory_caller caller);
/* A call gives back p, and memory_may_keep() is true; `block` is filled in if it is not NULL. */
struct memory_region memory_give_begins(unsigned call, const void *p, struct memory_block *block,
                                        struct memory_caller caller);
void memory_region_left(struct memory_region region);

/*
 * An operator of C++ begins, and may work by malloc() or free(): the operator's caller counts as
 * the caller of malloc(). And: the operator has ended. An operator that throws does not end; then
 * the caller is forgotten, by the position of the stack.
 */
void memory_operator_begins(struct memory_caller caller);
void memory_operator_ends(void);

/* A block was taken: a large block, or a block in which the distance to the next sample ends. */
void memory_take_keeps(const void *p, size_t bytes, bool is_large, struct memory_caller caller);
/* The same for a mapping, where the caller knows the recorded part. */
bool memory_map_kept(uintptr_t begin, const struct memory_block *block);
bool memory_map_given(uintptr_t begin, struct memory_block *block);
/* The block has not been given back after all. */
void memory_give_failed(const void *p, const struct memory_block *block);

#define MEMORY_NO_REGION ((struct memory_region){0})
#define MEMORY_TAKE_REGION(call, bytes, caller)                                                    \
    (__builtin_expect((bytes) >= memory_kept.from, 0) ? memory_take_begins(call, bytes, caller)    \
                                                      : MEMORY_NO_REGION)
#define MEMORY_GIVE_REGION(call, p, block, caller)                                                 \
    (memory_may_keep(p) ? memory_give_begins(call, p, block, caller) : MEMORY_NO_REGION)
static inline void memory_region_ends(struct memory_region region)
{
    if (__builtin_expect(region.entered != NULL, 0))
        memory_region_left(region);
}

#endif
