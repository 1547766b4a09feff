/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks of wrapped calls (SPUR_UNWIND) and the contexts of the stacks
 * (agent/stacks/context.h).
 *
 * The stack is taken by libunwind, opened at the start and never linked, since libunwind defines
 * functions that the host's C++ exceptions call; or the stack is taken without libunwind
 * (agent/stacks/stack_walk.h). Frames of the agent are left out, and frames below main() or below
 * the first function of a thread. Regions that are open when a stack is taken have a place in the
 * stack: below are the frames that opened the region, above all later frames.
 *
 * Each location remembers its last stack, and only frames that differ at the top are looked up.
 */
#ifndef SPUR_STACK_H
#define SPUR_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

struct spur_stack;

/* The most frames that SPUR_UNWIND can ask for. */
enum { SPUR_UNWIND_MAX = 1024 };

/*
 * At the start of the process, before threads and libraries are at work: open libunwind if `limit`,
 * the number of frames, is not 0. False: no stack can be followed; a line says so once.
 * `is_for_samples`: only samples have stacks, with the open regions in the stacks. Then libunwind
 * is not opened.
 */
bool spur_stack_start(uint32_t limit, bool is_for_samples);

/*
 * For a new location, by its thread, before any code of the host that must not allocate: the
 * libraries at work get their memory for the thread here. And: the location goes.
 */
void spur_stack_opened(struct spur_loc *loc);
void spur_stack_freed(struct spur_loc *loc);

/*
 * The owned location is about to enter `region`: returns the context of the region, open from now
 * on. The caller notes the context as a word SPUR_OPEN_CONTEXT | context at the slot's next depth.
 * OTF2_UNDEFINED_CALLING_CONTEXT: the region cannot be recorded.
 */
uint32_t spur_stack_enter(struct spur_loc *loc, OTF2_RegionRef region);

/*
 * In a signal handler: the stack of the location's thread, taken by the handler, with the functions
 * of the thread's script (agent/stacks/script_walk.h), valid up to the next call. NULL: no memory.
 * The location is owned. As async-signal-safe as context.h.
 */
const void **spur_stack_interrupted(struct spur_loc *loc, const void *const *leaf_first,
                                    uint32_t *n, bool is_whole);

/* The context of such a stack, if whole; frames of the agent may be in the stack. */
uint32_t spur_stack_context(struct spur_loc *loc, const void **leaf_first, uint32_t n);

/*
 * spur_loc_has_places(), and the location is owned: a region that stays open while the program goes
 * on gets its place, or loses its place (agent/record/hooks.h). Further open regions belong to a
 * call at work; the frames of that call are inside of the agent's frames.
 */
void spur_stack_placed(struct spur_loc *loc, uint32_t depth, uint32_t word, bool is_later);
void spur_stack_unplaced(struct spur_loc *loc, uint32_t depth);

/* A recorded call is at work, as far as known. */
bool spur_stack_has_call(struct spur_loc *loc);

/* spur_loc_has_places(): the context of the open regions, where no stack is at hand. */
uint32_t spur_stack_open_context(struct spur_loc *loc);

/* In a constructor, if stacks may be off: spur_stack_choose() will be called. Idempotent. */
void spur_stack_know_ranges(void);

/*
 * Choose the frames of a stack that count, in their order; returns the number. Left out are the
 * agent's frames and the frames of a binding that has called the agent (agent/stacks/binding.h). In
 * a whole stack, also the frames by which the C library starts main() or a thread.
 */
uint32_t spur_stack_choose(const void **leaf_first, uint32_t n, bool is_whole);

#endif
