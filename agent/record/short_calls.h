/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls shorter than SPUR_MIN_DURATION are counted only. If nothing was written between the Enter
 * of a region and its Leave, the Enter is taken back: no message, lock, sample or value of the
 * program, no inner region that stayed, no flush. The cursor returns to its place before, and the
 * location has one more short call. Records to which other records refer are never taken back.
 *
 * The number and the total time of a location's left out calls stand in the slot, counted from the
 * location's start. So finishing has these sums too, and writing them twice does no harm. A Metric
 * record of a class of its own holds both sums before the next Enter or Leave that stays. If that
 * Enter is taken back, the Metric record is taken back too.
 *
 * kill -9 at any instruction: the depth goes back first and the cursor afterwards, by one store;
 * the call is counted last. In between, finishing finds an Enter without a Leave, as when a process
 * dies inside of a call. A call whose wrapper has returned is in the archive or in the sums.
 *
 * Such a location has SPUR_GATE_CONTROL in its gate, so that only the long way comes here; all
 * functions are called by the owning thread.
 */
#ifndef SPUR_SHORT_CALLS_H
#define SPUR_SHORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/location.h"

/* The files have been opened: define the records, if calls are to be left out. */
void spur_short_define(void);
/* In ticks of the event clock; 0: all calls are kept. */
uint64_t spur_short_limit(void);

/* The state of a location. NULL: no memory, all calls of the location are kept. */
struct spur_shorts *spur_short_new(uint64_t limit);
void spur_short_free(struct spur_shorts *shorts);

void spur_short_note(struct spur_loc *loc);
void spur_short_note_end(struct spur_loc *loc);
bool spur_short_take_back(struct spur_loc *loc);
void spur_short_write(struct spur_loc *loc);

/* An Enter is about to be written at the location's time, with its records. */
static inline void spur_short_enter(struct spur_loc *loc)
{
    if (loc->shorts)
        spur_short_note(loc);
}

/* The Enter has been written, and is not yet counted as open. */
static inline void spur_short_entered(struct spur_loc *loc)
{
    if (loc->shorts)
        spur_short_note_end(loc);
}

/* Write the sums so far, before an end that stays, at the location's time. */
static inline void spur_short_tell(struct spur_loc *loc)
{
    if (loc->shorts)
        spur_short_write(loc);
}

/* The innermost region is left at the location's time. True: the Enter was taken back, without a
 * Leave. */
static inline bool spur_short_left(struct spur_loc *loc)
{
    if (!loc->shorts)
        return false;
    if (spur_short_take_back(loc))
        return true;
    spur_short_write(loc);
    return false;
}

#endif
