/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The known rings: the operations under way, the place of the last look at requests and
 * completions, and the registered files. Each function takes the lock by itself; a signal handler
 * that interrupts a function finds nothing. There is room for IO_RINGS rings and IO_RING_MOST
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
    OTF2_IoHandleRef handle[2]; /* second: the source of a splice */
    uint8_t mode[2];
    uint8_t kind;
    bool comes_again, is_silent;
    int flags; /* of an opening; of a close: the descriptor */
};

/* The key of the ring for the functions below; known from the ring's first call on. NULL: not
 * recorded. */
const void *io_ring_key(const struct io_ring *ring);
/* The keys of all readable rings, one after the other, from `i` on; the function moves `i`. */
bool io_ring_each(unsigned *i, const void **key);
/* The next request before `end` without a look so far. */
bool io_ring_next_request(const struct io_ring *ring, unsigned end, unsigned *which);
/* The next completion without a look so far. Completions overwritten by the kernel are lost. */
bool io_ring_next_completion(const void *key, struct io_ring_completion *done);

/* An operation is under way, on a known ring. False: no room. */
bool io_ring_put(const struct io_ring_pending *one);
/* Take the oldest operation with the mark; an operation without a completion; any operation. */
bool io_ring_take(const void *key, uint64_t mark, struct io_ring_pending *one);
bool io_ring_take_silent(const void *key, struct io_ring_pending *one);
bool io_ring_take_any(const void *key, struct io_ring_pending *one);

/* Room for registered files, all unknown at first. */
void io_ring_room(const void *key, unsigned n);
OTF2_IoHandleRef io_ring_file(const void *key, unsigned i);
void io_ring_set_file(const void *key, unsigned i, OTF2_IoHandleRef file);
/* The same, and the file is registered no longer. False: the index is too large. */
bool io_ring_take_file(const void *key, unsigned i, OTF2_IoHandleRef *file);

#endif
