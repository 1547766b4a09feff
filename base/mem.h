/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the agent: private mappings cut into size classes, never the host's heap. Cold paths
 * only. Without a lock: for threads, and for signal handlers that interrupt the allocator and may
 * never return. Memory is zeroed, aligned to 16 bytes, and never given back to the system while
 * small.
 */
#ifndef SPUR_MEM_H
#define SPUR_MEM_H

#include <stddef.h>
#include <stdint.h>

/* NULL: no memory. */
void *spur_mem_new(size_t bytes);
void spur_mem_free(void *mem, size_t bytes);

/*
 * `items` with their first `used` items, moved to room for `more` items of `item` bytes. *room is
 * the room before, and `more` afterwards. NULL: no memory; the items stay in place.
 */
void *spur_mem_resize(void *items, uint32_t used, uint32_t *room, uint32_t more, size_t item);

/* In a child of fork(), before the child takes memory: the allocator begins anew. The child may
 * free memory of the parent. */
void spur_mem_after_fork(void);

#endif
