/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files mapped to memory. A mapping has a handle of its own, a child of the descriptor's handle: a
 * mapping lives on when the descriptor is closed, and ends when no page is mapped any more. The
 * known mappings are ranges of addresses, since munmap() takes parts of mappings, or several
 * mappings. In a child of fork() nothing is known. All functions keep errno.
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
 * The number of known ranges: without ranges, only calls that make a mapping matter. Changes with
 * the lock of the ranges; a thread that has mapped a file sees the new number.
 */
extern _Atomic unsigned io_maps_known;

static inline bool io_maps_any(void)
{
    return atomic_load_explicit(&io_maps_known, memory_order_relaxed) != 0;
}

/* Is a part of a known mapping there? */
bool io_maps_has(const void *at, size_t n);
/* The mapping at the address; undefined: no mapping. */
OTF2_IoHandleRef io_maps_handle(const void *at);

/*
 * mmap() has returned `at`, or MAP_FAILED. Earlier mappings at `at` have ended. If `is_file`, the
 * descriptor's file is there now.
 */
void io_mapped(struct spur_loc *loc, void *at, size_t n, int protection, int flags, int fd,
               bool is_file);

/*
 * Before a call that unmaps: as soon as the kernel has unmapped the memory, another thread may map
 * memory at the same address. So the ranges there are hidden from now on. Returns the number of the
 * call; 0: no range is known there.
 */
unsigned io_maps_leave(const void *at, size_t n);
/* Behind the call: the ranges end, or stay. */
void io_unmapped(struct spur_loc *loc, unsigned leaving, bool is_done);
/* mremap(): the mapping ends at its old place, and begins at the new place with `n` bytes. */
void io_remapped(struct spur_loc *loc, const void *from, unsigned leaving, void *to, size_t n);
/* The same in a call without records. */
void io_maps_forget(const void *at, size_t n);

void io_maps_forked(void);

/* ---- rings (io_ring_foreign.c) ---- */

/*
 * Rings of io_uring that a program makes by system calls of its own. spur does not see the
 * program's reads and writes by such rings. But spur sees the mapping of a ring to memory, and the
 * process then gets the property SPUR_PROPERTY_RINGS. Any thread, signal handlers too.
 */

/* Does mmap() with these arguments map the requests of a ring, provided the descriptor is a
 * ring? */
static inline bool io_ring_may_be(int flags, off_t offset)
{
    return (uint64_t)offset == IORING_OFF_SQES && !(flags & MAP_ANONYMOUS) && io_is_on;
}

/* The program itself maps the descriptor. */
void io_ring_mapped(int fd);

/* The process has records now: report rings found before the first record. */
void io_ring_say_late(void);

#endif
