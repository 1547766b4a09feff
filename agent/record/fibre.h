/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fibres: stacks that take turns on one thread. Between wrapped calls that is nothing to us. Within
 * them it is: a signal handler that goes on with another fibre leaves a call, or a record, half
 * done, and so does a fibre that changes over in a routine of pthread_once().
 *
 * The guard keeps the thread's location whole: while a fibre is inside, calls of all others are
 * left out. What is left out is known for sure where the call lies above the one that is at work:
 * nothing calls upwards but on an alternate signal stack. So the count says the least.
 *
 * Once fibres were seen, the thread goes the long way for the rest of its life (SPUR_GATE_FIBRES).
 * A call that runs a routine of the program is over before the routine begins. A longjmp() whose
 * target is not known is taken to lead to another stack.
 */
#ifndef SPUR_FIBRE_H
#define SPUR_FIBRE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/location.h"

/* The guard could not be taken: it is lowered again. `frame` ends the caller's stack, or NULL. */
void spur_fibre_refused(const void *frame);

/*
 * On the long ways, by the state of the process. False when the guard is up already, or there is
 * nothing to guard.
 */
bool spur_guard_raise(uint32_t state, const void *frame);

/* A call could not be recorded, or ended, since fibres take turns on this thread. */
void spur_fibre_seen(void);

/* The thread is on a stack for signal handlers, or on one of the agent's: it goes back from there.
 */
bool spur_fibre_is_aside(void);

/* Is there memory from `low` to `high` without a gap? Of stacks without a page between it is one.
 */
bool spur_fibre_is_one_stack(const void *low, const void *high);

/* Regions from that depth on are over; they are left as soon as the location can be written. */
void spur_fibre_owe(uint32_t depth);
void spur_fibre_pay(struct spur_loc *loc);
static inline void spur_fibre_settle(struct spur_loc *loc)
{
    if (__builtin_expect(spur_self.owed || spur_self.suspect, 0))
        spur_fibre_pay(loc);
}

/* End what is open from that depth on, on an owned location. */
void spur_fibre_end_to(struct spur_loc *loc, uint32_t depth);

/* On an owned location: is the region still open, and this its innermost one? */
bool spur_fibre_is_innermost(const struct spur_loc *loc, uint32_t region);
static inline bool spur_fibre_may_leave(const struct spur_loc *loc, uint32_t region)
{
    return !(atomic_load_explicit(&loc->gate, memory_order_relaxed) & SPUR_GATE_FIBRES) ||
           spur_fibre_is_innermost(loc, region);
}

#endif
