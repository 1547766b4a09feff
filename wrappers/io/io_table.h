/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of each descriptor: a word in an array by the descriptor's number, read and written
 * without a lock. Each layer has an array: POSIX calls, the streams of ISO C, known by their
 * descriptors, and the calls on metadata, without handles. Nothing is known at first. A process may
 * have inherited a descriptor, or a library has made the descriptor in a function without a
 * wrapper. When such a descriptor is used, the kernel is asked for its kind. A file to be recorded
 * gets a handle that was created before; any other descriptor is left out from then on. In a child
 * of fork() the handles are the parent's and unknown again.
 */
#ifndef IO_TABLE_H
#define IO_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

/* A word: the handle, the state, the lock held by the descriptor, the process's generation. */
typedef uint64_t io_word;

enum { IO_STATE_SHIFT = 32, IO_LOCK_SHIFT = 34, IO_GENERATION_SHIFT = 40 };
#define IO_UNKNOWN UINT64_C(0)
#define IO_EXCLUDED (UINT64_C(1) << IO_STATE_SHIFT)
#define IO_TRACED (UINT64_C(2) << IO_STATE_SHIFT)
#define IO_STATE (UINT64_C(3) << IO_STATE_SHIFT)
#define IO_LOCK (UINT64_C(3) << IO_LOCK_SHIFT)

enum io_layer { IO_POSIX, IO_ISOC, IO_META, IO_LAYERS };

struct io_table {
    _Atomic io_word *words;
    unsigned room; /* descriptors from here on are not recorded; 0: the whole layer is not */
};
extern struct io_table io_tables[IO_LAYERS];

/*
 * Before all functions below, for each recorded layer, IO_LAYERS: no layer; false: no memory.
 */
bool io_table_start(enum io_layer layer);

static inline io_word io_word_of(enum io_layer layer, int fd)
{
    return (unsigned)fd < io_tables[layer].room
               ? atomic_load_explicit(&io_tables[layer].words[fd], memory_order_relaxed)
               : IO_EXCLUDED;
}

static inline bool io_is_traced(io_word word)
{
    return (word & IO_STATE) == IO_TRACED;
}

/* Of this process, and not of the process before the fork. */
static inline bool io_is_current(io_word word)
{
    enum { BITS = 64 - IO_GENERATION_SHIFT };
    return io_is_traced(word) &&
           word >> IO_GENERATION_SHIFT == (spur_generation() & ((1u << BITS) - 1));
}

/* Ask the kernel: is the descriptor a file to be recorded? Notes descriptors that are left out, and
 * descriptors of a layer without handles. */
bool io_look(enum io_layer layer, int fd);

/* Is a call recorded that uses the descriptor? */
static inline bool io_wants(enum io_layer layer, int fd)
{
    io_word word = io_word_of(layer, fd);
    return word != IO_EXCLUDED && (io_is_current(word) || io_look(layer, fd));
}

/* Is there a handle of any layer, so that the handle's end can be recorded? */
static inline bool io_knows(int fd)
{
    return io_is_traced(io_word_of(IO_POSIX, fd)) || io_is_traced(io_word_of(IO_ISOC, fd));
}
/* The same of any descriptor from `first` to `last`. */
bool io_knows_any(unsigned first, unsigned last);

/* The descriptor's handle, defined now if not yet defined; undefined if not recorded. */
OTF2_IoHandleRef io_handle_of(enum io_layer layer, int fd);
/* The descriptor has been opened: a new handle, and the file's. Undefined: not recorded. */
OTF2_IoHandleRef io_handle_opened(enum io_layer layer, int fd);

/* Another reference to the descriptor's file has been made, without a descriptor: a new handle. */
OTF2_IoHandleRef io_handle_registered(int fd);
/* The descriptor's file has been mapped to memory: a handle of the mapping, a child of the
 * descriptor's handle. */
OTF2_IoHandleRef io_handle_mapped(int fd);

/*
 * The descriptor is about to be closed, and another thread may get the same number before the call
 * returns: nothing is known of the descriptor from now on. Returns its words, with a handle or
 * IO_UNKNOWN.
 */
struct io_words {
    io_word of[IO_LAYERS];
};
struct io_words io_take(int fd);
/* The descriptor has not been closed. */
void io_put_back(int fd, struct io_words words);
/* The same in a call without records: earlier knowledge about the descriptor is void. */
void io_forget(int fd);
void io_forget_range(unsigned first, unsigned last);

/* Set the lock that the descriptor holds; without `replaces` only if the descriptor holds no lock.
 * Returns the lock held before. */
enum io_held { IO_HELD_NOT, IO_HELD_SHARED, IO_HELD_EXCLUSIVE };
enum io_held io_set_lock(int fd, enum io_held held, bool replaces);

static inline OTF2_IoHandleRef io_handle_in(io_word word)
{
    return io_is_traced(word) ? (OTF2_IoHandleRef)word : OTF2_UNDEFINED_IO_HANDLE;
}

/* The highest known descriptor. */
unsigned io_table_top(void);

#endif
