/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are mapped to memory. A mapping has a handle of its own, a child of that of the
 * descriptor: it lives on when the descriptor is closed. It ends when none of its pages is mapped
 * any more. What is known are ranges of addresses, since munmap() takes parts of mappings, or
 * several. In a child of fork() nothing is known. All functions keep errno.
 */
#ifndef IO_MAPS_H
#define IO_MAPS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/spur_agent.h"
#include "wrappers/io/io_table.h"

/* How many ranges are known: without any, only calls that make one matter. */
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
void io_unmapped(struct spur_loc *loc, void *at, size_t n, int ret);
/* mremap(): the mapping ends at its old place, and begins at the new one with `n` bytes. */
void io_remapped(struct spur_loc *loc, void *from, size_t old, void *to, size_t n, int flags);
/* The same in a call that is not recorded. */
void io_maps_forget(const void *at, size_t n);

void io_maps_forked(void);

#endif
