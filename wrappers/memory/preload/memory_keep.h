/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which blocks are recorded (--memory=SIZE): those of SIZE bytes or more, and samples of the
 * others. What is on the way of each call is here; memory_keep.c is for the few that are recorded.
 */
#ifndef MEMORY_KEEP_H
#define MEMORY_KEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/memory/memory_link.h"

/* Where a wrapper was called from. */
#define MEMORY_CALLER ((struct memory_caller){__builtin_return_address(0), __builtin_dwarf_cfa()})

/*
 * The region of a call. Only of such calls as throw no exceptions: a cleanup would need the
 * unwinder that the program has, or has not.
 */
struct memory_region {
    void *entered; /* NULL: none */
    unsigned call;
    bool is_large; /* the block that is taken is to be recorded */
};

enum { MEMORY_KEPT_BITS = 16 };

/* All of it changes when libspur.so connects, and in the few blocks that are recorded. */
extern struct memory_kept {
    size_t from; /* SIZE_MAX: nothing is recorded */
    bool is_on;
    /* How many recorded blocks have an address with that hash; UINT8_MAX: many. */
    _Atomic uint8_t count[1 << MEMORY_KEPT_BITS];
} memory_kept;

static inline size_t memory_kept_hash(const void *p)
{
    enum { SMALLEST = 4, BITS = 64 };
    return (size_t)(((uint64_t)(uintptr_t)p >> SMALLEST) * 0x9e3779b97f4a7c15u >>
                    (BITS - MEMORY_KEPT_BITS));
}

/* It may be one that is recorded. */
static inline bool memory_may_keep(const void *p)
{
    return __builtin_expect(memory_kept.is_on, 0) &&
           __builtin_expect(atomic_load_explicit(&memory_kept.count[memory_kept_hash(p)],
                                                 memory_order_relaxed),
                            0);
}

void memory_keep_connect(const struct memory_recorder *recorder);

/* A call for so many bytes begins. */
struct memory_region memory_take_begins(unsigned call, size_t bytes, struct memory_caller caller);
/* A call that gives back p, which memory_may_keep(); `block` is filled in if it is not NULL. */
struct memory_region memory_give_begins(unsigned call, const void *p, struct memory_block *block,
                                        struct memory_caller caller);
void memory_region_left(struct memory_region region);

/*
 * An operator of C++ begins, which may work by malloc() or free(): its caller is theirs. And: it
 * has ended. One that throws does not end; then the caller is forgotten by where the stack is.
 */
void memory_operator_begins(struct memory_caller caller);
void memory_operator_ends(void);

/* A block was taken: a large one, or one that the distance to the next sample ends in. */
void memory_take_keeps(const void *p, size_t bytes, bool is_large, struct memory_caller caller);
/* The same of what is mapped, where the caller knows which of it is recorded. */
bool memory_map_kept(uintptr_t begin, const struct memory_block *block);
bool memory_map_given(uintptr_t begin, struct memory_block *block);
/* It has not been given back after all. */
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
