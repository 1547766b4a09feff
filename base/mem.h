/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory of the agent: private mappings cut into size classes, never the host's heap. Cold paths
 * only. Without a lock: for threads, and for signal handlers that interrupt it and may never
 * return. Memory is zeroed, aligned to 16 bytes, and never given back to the system while small.
 */
#ifndef SPUR_MEM_H
#define SPUR_MEM_H

#include <stddef.h>
#include <stdint.h>

/* NULL: none. */
void *spur_mem_new(size_t bytes);
void spur_mem_free(void *mem, size_t bytes);

/*
 * `items` in room for `more` of `item` bytes, with the first `used` of them; *room is what there
 * was, and is `more` then. NULL: no memory, and they are where they were.
 */
void *spur_mem_resize(void *items, uint32_t used, uint32_t *room, uint32_t more, size_t item);

/* In a child of fork(), before it takes memory: it begins anew, and may free what was the parent's.
 */
void spur_mem_after_fork(void);

#endif
