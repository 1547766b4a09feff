/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/mem.h"

#include <stdint.h>
#include <string.h>

#include "agent/lock.h"
#include "agent/map.h"

enum {
    SMALLEST_SHIFT = 4,
    LARGEST_SHIFT = 15, /* above: a mapping of its own */
    CLASSES = LARGEST_SHIFT - SMALLEST_SHIFT + 1,
    ARENA_BYTES = 1 << 18,
};

struct free_block {
    struct free_block *next;
};

static struct {
    struct spur_lock lock;
    struct free_block *free[CLASSES];
    char *arena;
    size_t left;
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
    if (heap.left < bytes) {
        char *arena = spur_map_anonymous(ARENA_BYTES);
        if (!arena)
            return NULL;
        heap.arena = arena;
        heap.left = ARENA_BYTES;
    }
    void *at = heap.arena;
    heap.arena += bytes;
    heap.left -= bytes;
    return at;
}

void *spur_mem_new(size_t bytes)
{
    if (bytes > (size_t)1 << LARGEST_SHIFT)
        return spur_map_anonymous(bytes);
    unsigned class = class_of(bytes);
    size_t rounded = (size_t)1 << (class + SMALLEST_SHIFT);
    spur_lock_take(&heap.lock);
    struct free_block *block = heap.free[class];
    if (block)
        heap.free[class] = block->next;
    void *at = block ? (void *)block : cut(rounded);
    spur_lock_give(&heap.lock);
    if (block)
        memset(at, 0, rounded);
    return at;
}

void spur_mem_free(void *mem, size_t bytes)
{
    if (!mem)
        return;
    if (bytes > (size_t)1 << LARGEST_SHIFT) {
        spur_unmap(mem, bytes);
        return;
    }
    unsigned class = class_of(bytes);
    struct free_block *block = mem;
    spur_lock_take(&heap.lock);
    block->next = heap.free[class];
    heap.free[class] = block;
    spur_lock_give(&heap.lock);
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

void spur_mem_after_fork(void)
{
    spur_lock_reset(&heap.lock);
}
