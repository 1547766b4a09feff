/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places in the call tree of this process: a place is a frame of code or a region below a parent.
 * Each place has a dense number, for events and for the words of open regions. Paths with the same
 * outer part share that part. Finishing finds the names (finish_context.c). Finishing also writes
 * the unwind distances into the event files, since only then the inlined functions are known.
 *
 * Looking up a known place takes no lock and is async-signal-safe. A new place takes locks of the
 * agent and agent memory: a signal handler may come here only if its thread holds no spur_lock.
 * errno is kept.
 */
#ifndef SPUR_CONTEXT_H
#define SPUR_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

/*
 * The frame of code below `parent` (OTF2_UNDEFINED_CALLING_CONTEXT: the frame is outermost) to
 * which a call will return at `address`. For an instruction itself, such as an instruction that a
 * signal has interrupted, pass the address behind its first byte. Result `parent`: the frame cannot
 * be recorded.
 */
uint32_t spur_context_frame(uint32_t parent, const void *address);

/* The same for `n` frames, innermost first; `leaf_is_exact`: the first address is an
 * instruction. */
uint32_t spur_context_path(uint32_t parent, const void *const *leaf_first, uint32_t n,
                           bool leaf_is_exact);

/*
 * The region below `parent`. `address` (or NULL) is a return address in the frame that entered the
 * region; the frame has gone on since. After too many call paths of the process, the result for a
 * new path is the place of the region alone.
 */
uint32_t spur_context_region(uint32_t parent, OTF2_RegionRef region, const void *address);

/* The Code definition of a return address; OTF2_UNDEFINED_UINT32: the address is in no module. */
uint32_t spur_context_code(const void *address);

/* In a child of fork(): the numbers are its own. */
void spur_context_after_fork(void);

#endif
