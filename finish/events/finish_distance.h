/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind distances. A process cannot know them: only finishing finds the functions that are inlined
 * into one another, and which addresses are in one function. So a pass over the event files puts
 * them in the place of what was written, which has two bytes of room.
 *
 * The definition of OTF2 (CallingContext): count from the context of an event upwards. The first N
 * regions were entered since the previous event with a context; the next one was not left, but made
 * progress; those above did neither. The distance is N + 1. After a CallingContextLeave the
 * previous context is the parent of the one that was left. Two contexts are taken to be in the same
 * activation of a region as far up as this is possible: as long as paths agree, and one region
 * further, whose place may differ. Only the leaf of a CallingContextEnter is new by itself.
 */
#ifndef SPUR_FINISH_DISTANCE_H
#define SPUR_FINISH_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "finish/state/finish_contexts.h"

struct finish;
struct finish_out;
struct finish_process;

/* From one context (or undefined) to the next; `is_enter`: the next one's leaf is entered now. */
uint32_t finish_distance(const struct finish_contexts *contexts, uint32_t from, uint32_t to,
                         bool is_enter);

/* Whether there are any in the events of the process. */
bool finish_has_distances(const struct finish *f, const struct finish_process *p);

/*
 * In the event file of a thread, which is complete. `block`: f->block_bytes, to work with. 0, or
 * -errno.
 */
int finish_distances(struct finish *f, const struct finish_process *p, const struct finish_out *out,
                     uint8_t *block);

#endif
