/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Unwind distances. A process cannot know the distances: only finishing finds the functions that
 * are inlined into one another, and the addresses of each function. So a pass over the event files
 * replaces the recorded numbers, which have two bytes of room, by the distances.
 *
 * The definition of OTF2 (CallingContext): count from the context of an event upwards. The first N
 * regions were entered since the previous event with a context; the next region was not left, but
 * made progress; the regions above did neither. The distance is N + 1. After a CallingContextLeave
 * the previous context is the parent of the left context. Two contexts are taken to be in the same
 * activation of a region as far up as possible: as long as paths agree, and one region further,
 * whose place may differ. Only the leaf of a CallingContextEnter is new by itself.
 */
#ifndef SPUR_FINISH_DISTANCE_H
#define SPUR_FINISH_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "finish/state/finish_contexts.h"

struct finish;
struct finish_out;
struct finish_process;

/*
 * From a context (or undefined) to the next context; `is_enter`: the next context's leaf is entered
 * now.
 */
uint32_t finish_distance(const struct finish_contexts *contexts, uint32_t from, uint32_t to,
                         bool is_enter);

/* Whether the events of the process have unwind distances. */
bool finish_has_distances(const struct finish *f, const struct finish_process *p);

/*
 * Set the distances in the complete event file of a thread. `block`: f->block_bytes, to work with.
 * 0, or -errno.
 */
int finish_distances(struct finish *f, const struct finish_process *p, const struct finish_out *out,
                     uint8_t *block);

#endif
