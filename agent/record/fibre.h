/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibres: stacks that take turns on one thread. Changes between wrapped calls do not concern the
 * agent. Changes within wrapped calls do: a signal handler that continues another fibre leaves a
 * call, or a record, half done. So does a fibre that changes over in a routine of pthread_once().
 *
 * The guard keeps the thread's location whole: while one fibre is inside, calls of all other fibres
 * are left out. A refused call is certainly another fibre's only if its frame lies above the frame
 * of the call at work: within a fibre, calls go upwards only on an alternate signal stack. So the
 * count of left out calls is a lower bound.
 *
 * Once fibres were seen, the thread goes the long way for the rest of its life (SPUR_GATE_FIBRES).
 * A call that runs a routine of the program is over before the routine begins. A longjmp() with an
 * unknown target is taken to lead to another stack.
 */
#ifndef SPUR_FIBRE_H
#define SPUR_FIBRE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/location.h"

/* The guard could not be taken, and is lowered again. `frame` ends the caller's stack, or NULL. */
void spur_fibre_refused(const void *frame);

/*
 * On the long ways, by the state of the process. False when the guard is up already, or without
 * need for a guard.
 */
bool spur_guard_raise(uint32_t state, const void *frame);

/* A call could not be recorded, or ended, since fibres take turns on this thread. */
void spur_fibre_seen(void);

/* Is the thread on a stack for signal handlers, or on a stack of the agent's? The thread will go
 * back. */
bool spur_fibre_is_aside(void);

/* Is there memory from `low` to `high` without a gap? Neighbouring stacks without a page between
 * count as one stack. */
bool spur_fibre_is_one_stack(const void *low, const void *high);

/* Regions from `depth` on are over, and are left as soon as the location can be written. */
void spur_fibre_owe(uint32_t depth);
void spur_fibre_pay(struct spur_loc *loc);
static inline void spur_fibre_settle(struct spur_loc *loc)
{
    if (__builtin_expect(spur_self.owed || spur_self.suspect, 0))
        spur_fibre_pay(loc);
}

/* End all regions open from `depth` on, on an owned location. */
void spur_fibre_end_to(struct spur_loc *loc, uint32_t depth);

/* On an owned location: is the region still open, as the innermost open region? */
bool spur_fibre_is_innermost(const struct spur_loc *loc, uint32_t region);
static inline bool spur_fibre_may_leave(const struct spur_loc *loc, uint32_t region)
{
    return !(atomic_load_explicit(&loc->gate, memory_order_relaxed) & SPUR_GATE_FIBRES) ||
           spur_fibre_is_innermost(loc, region);
}

#endif
