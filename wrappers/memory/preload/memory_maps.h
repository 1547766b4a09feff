/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that the process maps by itself, past the allocator: anonymous mappings that can be used
 * (not those without any permission), and what it takes by brk() and sbrk(). What the allocator
 * maps is not part of it, since its blocks are counted. Any thread, also in signal handlers.
 */
#ifndef MEMORY_MAPS_H
#define MEMORY_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/memory/memory_link.h"
#include "wrappers/memory/preload/memory_spans.h"

/* Where the allocator's library lies; and, in a constructor: processes may fork. */
void memory_maps_start(uintptr_t begin, uintptr_t end);
void memory_maps_watch(void);
/* The call comes from the allocator. */
bool memory_maps_is_allocator(const void *caller);

/* `bytes` from `p` on, whole pages of them. */
struct memory_span memory_span_of(const void *p, size_t bytes, enum memory_mark mark);

/*
 * Such a span was mapped: MEMORY_OPEN, MEMORY_CLOSED (it cannot be used), or MEMORY_NOTHING (that
 * of a file, or none). If it is large, it is recorded as a block that the caller has taken.
 */
void memory_maps_set(struct memory_span span, bool is_large, struct memory_caller caller);

/* Of what is known there, all can be used from now on (MEMORY_OPEN), or none. */
void memory_maps_protect(struct memory_span span, bool is_large, struct memory_caller caller);

/* What a call is about to unmap, to be put back should it fail. */
struct memory_lost {
    enum { MEMORY_PIECES = 16 } most;
    size_t n, n_blocks;
    struct memory_span piece[MEMORY_PIECES];
    struct memory_span where[MEMORY_PIECES];
    struct memory_block block[MEMORY_PIECES];
};
void memory_maps_lose(struct memory_span span, struct memory_lost *lost);
void memory_maps_restore(const struct memory_lost *lost);

/* A recorded block overlaps; some of the known memory there has another mark. */
bool memory_maps_has_block(struct memory_span span);
bool memory_maps_differs(struct memory_span span);
/* What is at the address. */
enum memory_mark memory_maps_at(const void *p);

#endif
