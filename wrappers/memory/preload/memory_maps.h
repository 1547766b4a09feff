/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the process maps by itself, past the allocator: usable anonymous mappings (not
 * mappings without any permission), and memory by brk() and sbrk(). Mappings of the allocator are
 * left out, since the allocator's blocks are counted. Any thread, also in signal handlers.
 */
#ifndef MEMORY_MAPS_H
#define MEMORY_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/memory/memory_link.h"
#include "wrappers/memory/preload/memory_spans.h"

/* The place of the allocator's library; and, in a constructor: processes may fork. */
void memory_maps_start(uintptr_t begin, uintptr_t end);
void memory_maps_watch(void);
/* The call comes from the allocator. */
bool memory_maps_is_allocator(const void *caller);

/* `bytes` from `p` on, in whole pages. */
struct memory_span memory_span_of(const void *p, size_t bytes, enum memory_mark mark);

/*
 * A span was mapped: MEMORY_OPEN, MEMORY_CLOSED (not usable), or MEMORY_NOTHING (a file's, or no
 * mapping). A large span is recorded as a block that the caller has taken.
 */
void memory_maps_set(struct memory_span span, bool is_large, struct memory_caller caller);

/* Of the known memory in the span, all is usable from now on (MEMORY_OPEN), or nothing. */
void memory_maps_protect(struct memory_span span, bool is_large, struct memory_caller caller);

/* Memory that a call is about to unmap, to be put back should the call fail. */
struct memory_lost {
    enum { MEMORY_PIECES = 16 } most;
    size_t n, n_blocks;
    struct memory_span piece[MEMORY_PIECES];
    struct memory_span where[MEMORY_PIECES];
    struct memory_block block[MEMORY_PIECES];
};
void memory_maps_lose(struct memory_span span, struct memory_lost *lost);
void memory_maps_restore(const struct memory_lost *lost);

/* Does a recorded block overlap? And: has a part of the known memory there another mark? */
bool memory_maps_has_block(struct memory_span span);
bool memory_maps_differs(struct memory_span span);
/* The mark of the memory at the address. */
enum memory_mark memory_maps_at(const void *p);

#endif
