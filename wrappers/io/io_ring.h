/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations by io_uring, as far as a program makes them with liburing's library: what its calls
 * submit begins, and what its calls find in the ring of completions ends. Other functions of
 * liburing are code of its header and are not seen, so an operation ends in the archive at the next
 * call on the ring, or before its descriptor is closed.
 *
 * An operation and its completion are matched by the program's own mark (user_data). If several
 * under way have the same, the oldest one ends first. In a child of fork() nothing is under way.
 * All functions keep errno. Any thread; a signal handler that interrupts one sees no rings.
 */
#ifndef IO_RING_H
#define IO_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/io/io_emit.h"

/* ---- what liburing and the kernel lay out (include/liburing.h, linux/io_uring.h) ---- */

/* A request: the members that are looked at. */
struct io_ring_request {
    uint8_t opcode, flags;
    uint16_t ioprio;
    int32_t fd;
    uint64_t off, addr;
    uint32_t len, op_flags;
    uint64_t user_data;
    uint16_t unused[2];
    int32_t other; /* splice: the descriptor that is read; files by index: which, plus 1 */
    uint64_t unused_either[2];
};

struct io_ring_completion {
    uint64_t user_data;
    int32_t res;
    uint32_t flags;
};

/* liburing's object. The masks that are pointers are there in all its versions from 2.0 on. */
struct io_ring {
    struct {
        unsigned *head, *tail, *mask, *entries, *flags, *dropped, *array;
        const char *requests;
        unsigned own_head, own_tail;
        size_t bytes;
        void *memory;
        unsigned unused[4];
    } sq;
    struct {
        unsigned *head;
        _Atomic unsigned *tail;
        unsigned *mask, *entries, *flags, *overflow;
        const char *completions;
        size_t bytes;
        void *memory;
        unsigned unused[4];
    } cq;
    unsigned flags; /* of its setup */
    int fd;
};

/* ---- calls; `ring` is the program's ---- */

/* A ring is new: what was known of one in its place is not true. */
void io_ring_new(const struct io_ring *ring);
/* Before a call that submits what has been prepared. */
void io_ring_submits(struct spur_loc *loc, const struct io_ring *ring);
/* The same of one that is not recorded. */
void io_ring_skip(const struct io_ring *ring);
/* Behind a call: what it has submitted, and what has been completed. Reads the clock. */
void io_ring_called(struct spur_loc *loc, const struct io_ring *ring);
/* Before its end: what is under way ends, and nobody knows how. NULL: without records. */
void io_ring_ends(struct spur_loc *loc, const struct io_ring *ring);

/*
 * Files from the index `first` on have been registered; NULL: `n` that are none. Each is a
 * duplicate of its descriptor. `is_first`: they are all that there are. Without `loc`: unknown
 * ones.
 */
void io_ring_files(struct spur_loc *loc, const struct io_ring *ring, unsigned first,
                   const int *files, unsigned n, bool is_first);

extern _Atomic unsigned io_rings_pending; /* operations under way, by all rings */

/* A descriptor has been closed: what has been completed by now ends first. Behind the clock. */
void io_rings_reap(struct spur_loc *loc);
static inline void io_rings_reap_any(struct spur_loc *loc)
{
    if (__builtin_expect(atomic_load_explicit(&io_rings_pending, memory_order_relaxed) != 0, 0))
        io_rings_reap(loc);
}

void io_rings_forked(void);

#endif
