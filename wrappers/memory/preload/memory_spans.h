/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parts of the address space that do not overlap, in the order of their addresses, each with a
 * mark. Neighbours with the same mark are one span, unless it is MEMORY_ALONE. For one thread at a
 * time. Takes memory from the kernel, none of the heap.
 */
#ifndef MEMORY_SPANS_H
#define MEMORY_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum memory_mark { MEMORY_NOTHING, MEMORY_CLOSED, MEMORY_OPEN, MEMORY_ALONE };

struct memory_span {
    uintptr_t begin, end; /* behind the last byte */
    enum memory_mark mark;
};

struct memory_spans {
    struct memory_span *at;
    size_t n, capacity;
};

/* The first span that overlaps; NULL: there is none. Valid until the next change. */
const struct memory_span *memory_spans_find(const struct memory_spans *spans, uintptr_t begin,
                                            uintptr_t end);

/*
 * Instead of whatever is from `span.begin` to its end; MEMORY_NOTHING takes it away. False: there
 * is no memory, and nothing has changed.
 */
bool memory_spans_set(struct memory_spans *spans, struct memory_span span);

#endif
