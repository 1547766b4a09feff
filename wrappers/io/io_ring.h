/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Operations by io_uring, as far as a program uses the functions in liburing's library. Operations
 * begin when a call submits them, and end when a call finds the completion in the ring. Further
 * functions of liburing are code of its header and are not seen. So an operation ends in the
 * archive at the next call on the ring, or before its descriptor is closed.
 *
 * The program's own mark (user_data) links an operation and its completion. If several operations
 * under way have the same mark, the oldest ends first. In a child of fork() nothing is under way.
 * All functions keep errno. Any thread; a signal handler that interrupts such a function sees no
 * rings.
 */
#ifndef IO_RING_H
#define IO_RING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/io/io_emit.h"

/* ---- layouts of liburing and the kernel (include/liburing.h, linux/io_uring.h) ---- */

/* A request: the members that spur reads. */
struct io_ring_request {
    uint8_t opcode, flags;
    uint16_t ioprio;
    int32_t fd;
    uint64_t off, addr;
    uint32_t len, op_flags;
    uint64_t user_data;
    uint16_t unused[2];
    int32_t other; /* splice: the source descriptor; files by index: the index, plus 1 */
    uint64_t unused_either[2];
};

struct io_ring_completion {
    uint64_t user_data;
    int32_t res;
    uint32_t flags;
};

/* liburing's object. All versions from 2.0 on have the masks as pointers. */
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

/* A ring is new: earlier knowledge about a ring at the same address is void. */
void io_ring_new(const struct io_ring *ring);
/* Before a call that submits the prepared requests. */
void io_ring_submits(struct spur_loc *loc, const struct io_ring *ring);
/* The same before a call without records. */
void io_ring_skip(const struct io_ring *ring);
/* Behind a call: the submitted requests, and the completions. Reads the clock. */
void io_ring_called(struct spur_loc *loc, const struct io_ring *ring);
/* Before the end of the ring: operations under way end, with an unknown result. NULL: without
 * records. */
void io_ring_ends(struct spur_loc *loc, const struct io_ring *ring);

/* Before the ring gets other memory, and behind: the requests were at `old`. */
void io_ring_moves(struct spur_loc *loc, const struct io_ring *ring);
void io_ring_moved(const void *old, const struct io_ring *ring);

/*
 * Files from the index `first` on have been registered; NULL: `n` indices without files. Each file
 * is a duplicate of its descriptor. `is_first`: the whole table is new. Without `loc`: unknown
 * files.
 */
void io_ring_files(struct spur_loc *loc, const struct io_ring *ring, unsigned first,
                   const int *files, unsigned n, bool is_first);

extern _Atomic unsigned io_rings_pending; /* operations under way, of all rings */

/* A descriptor has been closed: completed operations end first. Behind the clock. */
void io_rings_reap(struct spur_loc *loc);
static inline void io_rings_reap_any(struct spur_loc *loc)
{
    if (__builtin_expect(atomic_load_explicit(&io_rings_pending, memory_order_relaxed) != 0, 0))
        io_rings_reap(loc);
}

void io_rings_forked(void);

#endif
