/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is known of rings: what is under way, up to where requests and completions were looked at,
 * and the files that are registered. Each function holds the lock by itself; a signal handler that
 * interrupts one of them finds nothing. There is room for IO_RINGS rings and IO_RING_MOST
 * operations.
 */
#ifndef IO_RING_TABLE_H
#define IO_RING_TABLE_H

#include "wrappers/io/io_ring.h"

enum { IO_RINGS = 64, IO_RING_MOST = 8192 };

struct io_ring_pending {
    const void *ring;
    uint64_t mark;
    uint64_t asked; /* bytes; of a close: the descriptor's word */
    uint64_t id[2];
    OTF2_IoHandleRef handle[2]; /* the second one: what a splice reads */
    uint8_t mode[2];
    uint8_t kind;
    bool comes_again, is_silent;
    int flags; /* of an opening; of a close: the descriptor */
};

/* What the others call the ring; known from its first call on. NULL: it is not recorded. */
const void *io_ring_key(const struct io_ring *ring);
/* The keys, one after the other, from `i` on, which it moves: of those that can still be read. */
bool io_ring_each(unsigned *i, const void **key);
/* The next request before `end` that was not looked at. */
bool io_ring_next_request(const struct io_ring *ring, unsigned end, unsigned *which);
/* The next completion that was not looked at. What the kernel has written over is lost. */
bool io_ring_next_completion(const void *key, struct io_ring_completion *done);

/* Something is under way, which has a ring that is known. False: no room. */
bool io_ring_put(const struct io_ring_pending *one);
/* The oldest with the mark; one that makes no completion; any. */
bool io_ring_take(const void *key, uint64_t mark, struct io_ring_pending *one);
bool io_ring_take_silent(const void *key, struct io_ring_pending *one);
bool io_ring_take_any(const void *key, struct io_ring_pending *one);

/* Room for registered files, none of which is known. */
void io_ring_room(const void *key, unsigned n);
OTF2_IoHandleRef io_ring_file(const void *key, unsigned i);
void io_ring_set_file(const void *key, unsigned i, OTF2_IoHandleRef file);
/* The same, and it is none any more. False: there are not so many. */
bool io_ring_take_file(const void *key, unsigned i, OTF2_IoHandleRef *file);

#endif
