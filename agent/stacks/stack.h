/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call stacks of wrapped calls (SPUR_UNWIND) and the contexts that they make
 * (agent/stacks/context.h).
 *
 * The stack is taken by libunwind, which is opened at the start and never linked: it defines what
 * the host's C++ exceptions call; or without it (agent/stacks/stack_walk.h). Frames of the agent
 * are left out, and those below main() or below the function that a thread began with. What is open
 * when a stack is taken has its place in it: below are the frames in which it was opened, above the
 * others.
 *
 * Each location remembers its last stack, and only what is different at the top is looked up.
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
 * At the start of the process, when threads and libraries are not yet at work: open libunwind if
 * `limit`, the number of frames, is not 0. False: no stack can be followed; a line says so once.
 * `is_for_samples`: only samples have stacks, with what is open in them. Then libunwind is not
 * opened.
 */
bool spur_stack_start(uint32_t limit, bool is_for_samples);

/*
 * For a new location, by its thread, before any of the host's code that must not allocate: the
 * libraries at work get their memory for the thread here. And: the location goes.
 */
void spur_stack_opened(struct spur_loc *loc);
void spur_stack_freed(struct spur_loc *loc);

/*
 * The location, which is owned, is about to enter `region`: its context, which is then open. The
 * caller notes that as a word SPUR_OPEN_CONTEXT | context at the slot's next depth.
 * OTF2_UNDEFINED_CALLING_CONTEXT: it cannot be recorded.
 */
uint32_t spur_stack_enter(struct spur_loc *loc, OTF2_RegionRef region);

/*
 * In a signal handler: the stack of the location's thread that it has taken, with the functions of
 * the script that the thread runs (agent/stacks/script_walk.h), up to the next call. NULL: no
 * memory. The location is owned. Async-signal-safe as context.h is.
 */
const void **spur_stack_interrupted(struct spur_loc *loc, const void *const *leaf_first,
                                    uint32_t *n, bool is_whole);

/* The context of such a stack, if it is whole; frames of the agent may be in it. */
uint32_t spur_stack_context(struct spur_loc *loc, const void **leaf_first, uint32_t n);

/*
 * spur_loc_has_places(), and the location is owned: a region that stays open while the program goes
 * on gets its place, or loses it (agent/record/hooks.h). What is open besides is a call at work,
 * whose frames are those inside of the agent's.
 */
void spur_stack_placed(struct spur_loc *loc, uint32_t depth, uint32_t word, bool is_later);
void spur_stack_unplaced(struct spur_loc *loc, uint32_t depth);

/* A recorded call is at work, as far as that is known. */
bool spur_stack_has_call(struct spur_loc *loc);

/* spur_loc_has_places(): the context of what is open, where no stack is at hand. */
uint32_t spur_stack_open_context(struct spur_loc *loc);

/* In a constructor, if stacks may be off: spur_stack_choose() will be called. Idempotent. */
void spur_stack_know_ranges(void);

/*
 * Of the frames of a stack those that count remain, in their order; how many. They are neither the
 * agent's nor those of a binding that has called the agent (agent/stacks/binding.h), nor, in a
 * whole stack, those that the C library starts main() or a thread with.
 */
uint32_t spur_stack_choose(const void **leaf_first, uint32_t n, bool is_whole);

#endif
