/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are mapped to memory. A mapping has a handle of its own, a child of that of the
 * descriptor: it lives on when the descriptor is closed. It ends when none of its pages is mapped
 * any more. What is known are ranges of addresses, since munmap() takes parts of mappings, or
 * several. In a child of fork() nothing is known. All functions keep errno.
 */
#ifndef IO_MAPS_H
#define IO_MAPS_H

#include <linux/io_uring.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "agent/spur_agent.h"
#include "wrappers/io/io_mode.h"
#include "wrappers/io/io_table.h"

/*
 * How many ranges are known: without any, only calls that make one matter. Changes with the lock of
 * the ranges; whoever has mapped a file sees that there is one.
 */
extern _Atomic unsigned io_maps_known;

static inline bool io_maps_any(void)
{
    return atomic_load_explicit(&io_maps_known, memory_order_relaxed) != 0;
}

/* Is a part of a known mapping there? */
bool io_maps_has(const void *at, size_t n);
/* The mapping that the address is in; undefined: none. */
OTF2_IoHandleRef io_maps_handle(const void *at);

/*
 * mmap() has returned `at`, or MAP_FAILED. What was there before has ended. If `is_file`, the
 * descriptor's file is there now.
 */
void io_mapped(struct spur_loc *loc, void *at, size_t n, int protection, int flags, int fd,
               bool is_file);

/*
 * Before a call that unmaps: as soon as the kernel has done so another thread may map something
 * there. So nobody finds the ranges there from now on. Returns the number of the call; 0: there is
 * nothing.
 */
unsigned io_maps_leave(const void *at, size_t n);
/* Behind it: they end, or stay. */
void io_unmapped(struct spur_loc *loc, unsigned leaving, bool is_done);
/* mremap(): the mapping ends at its old place, and begins at the new one with `n` bytes. */
void io_remapped(struct spur_loc *loc, const void *from, unsigned leaving, void *to, size_t n);
/* The same in a call that is not recorded. */
void io_maps_forget(const void *at, size_t n);

void io_maps_forked(void);

/* ---- rings (io_ring_foreign.c) ---- */

/*
 * Rings of io_uring that a program makes by system calls of its own. Nobody sees what it reads and
 * writes by them; that there are such rings is seen when they are mapped to memory, and the process
 * gets the property SPUR_PROPERTY_RINGS. Any thread, signal handlers too.
 */

/* Does mmap() with these map the requests of a ring, if the descriptor is one? */
static inline bool io_ring_may_be(int flags, off_t offset)
{
    return (uint64_t)offset == IORING_OFF_SQES && !(flags & MAP_ANONYMOUS) && io_is_on;
}

/* The program itself maps the descriptor. */
void io_ring_mapped(int fd);

/* Something of the process is recorded now: says what could not be said before that. */
void io_ring_say_late(void);

#endif
