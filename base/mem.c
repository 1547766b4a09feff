/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/mem.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "base/mapping.h"

enum {
    SMALLEST_SHIFT = 4,
    LARGEST_SHIFT = 15, /* above: a mapping of its own */
    CLASSES = LARGEST_SHIFT - SMALLEST_SHIFT + 1,
    ARENA_BYTES = 1 << 18,
};

struct free_block {
    struct free_block *next;
};

struct arena {
    _Atomic size_t used; /* bytes in use of `bytes` */
    _Alignas(1 << SMALLEST_SHIFT) char bytes[];
};

enum { ARENA_ROOM = ARENA_BYTES - sizeof(struct arena) };

/*
 * No lock: code that interrupts an allocation, even without ever returning, may allocate as well.
 */
static struct {
    _Atomic(struct free_block *) free[CLASSES];
    _Atomic(struct arena *) arena;
} heap;

static unsigned class_of(size_t bytes)
{
    unsigned shift = SMALLEST_SHIFT;
    while (((size_t)1 << shift) < bytes)
        shift++;
    return shift - SMALLEST_SHIFT;
}

/* The rest of an arena that is too small for a request is lost: at most one block of 32 KiB. */
static void *cut(size_t bytes)
{
    for (;;) {
        struct arena *arena = atomic_load_explicit(&heap.arena, memory_order_acquire);
        size_t at = arena ? atomic_fetch_add_explicit(&arena->used, bytes, memory_order_relaxed)
                          : ARENA_ROOM;
        if (at + bytes <= ARENA_ROOM)
            return arena->bytes + at;
        struct arena *new = spur_map_anonymous(ARENA_BYTES);
        if (!new)
            return NULL;
        if (!atomic_compare_exchange_strong_explicit(&heap.arena, &arena, new, memory_order_acq_rel,
                                                     memory_order_relaxed))
            spur_unmap(new, ARENA_BYTES);
    }
}

static struct free_block *last_of(struct free_block *block)
{
    while (block->next)
        block = block->next;
    return block;
}

/*
 * Take a block: the whole list is taken, and the rest of the list is put back. So no thread looks
 * into a block that another thread has. Meanwhile other threads find an empty list and cut new
 * blocks. Blocks freed meanwhile form the shorter list.
 */
static struct free_block *take(_Atomic(struct free_block *) *list)
{
    if (!atomic_load_explicit(list, memory_order_relaxed))
        return NULL;
    struct free_block *block = atomic_exchange_explicit(list, NULL, memory_order_acquire);
    struct free_block *rest = block ? block->next : NULL;
    struct free_block *none = NULL;
    while (rest && !atomic_compare_exchange_strong_explicit(list, &none, rest, memory_order_release,
                                                            memory_order_relaxed)) {
        struct free_block *few = atomic_exchange_explicit(list, NULL, memory_order_acquire);
        if (few) {
            last_of(few)->next = rest;
            rest = few;
        }
        none = NULL;
    }
    return block;
}

void *spur_mem_new(size_t bytes)
{
    if (bytes > (size_t)1 << LARGEST_SHIFT)
        return spur_map_anonymous(bytes);
    unsigned class = class_of(bytes);
    size_t rounded = (size_t)1 << (class + SMALLEST_SHIFT);
    struct free_block *block = take(&heap.free[class]);
    return block ? memset(block, 0, rounded) : cut(rounded);
}

void spur_mem_free(void *mem, size_t bytes)
{
    if (!mem)
        return;
    if (bytes > (size_t)1 << LARGEST_SHIFT) {
        spur_unmap(mem, bytes);
        return;
    }
    struct free_block *block = mem;
    _Atomic(struct free_block *) *list = &heap.free[class_of(bytes)];
    block->next = atomic_load_explicit(list, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(list, &block->next, block, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void *spur_mem_resize(void *items, uint32_t used, uint32_t *room, uint32_t more, size_t item)
{
    void *new = spur_mem_new(more * item);
    if (!new)
        return NULL;
    if (used)
        memcpy(new, items, used * item);
    spur_mem_free(items, *room * item);
    *room = more;
    return new;
}

/* The parent's threads may have been at work while the parent's memory was copied, page by page. */
void spur_mem_after_fork(void)
{
    for (int i = 0; i < CLASSES; i++)
        atomic_store_explicit(&heap.free[i], NULL, memory_order_relaxed);
    atomic_store_explicit(&heap.arena, NULL, memory_order_relaxed);
}
