/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that take less than SPUR_MIN_DURATION are counted only. If nothing was written between the
 * Enter of a region and its Leave, the Enter is taken back: no message, lock, sample or value of
 * the program, no inner region that stayed, no flush. The cursor returns to where it was, and the
 * location has one more such call. What others refer to is never taken back.
 *
 * How many calls a location has left out, and how long they took, stands in its slot, counted from
 * its start. So finishing has these sums too, and writing them twice does no harm. A Metric record
 * of a class of its own tells both before the next Enter or Leave that stays; it goes with the
 * Enter that it was written for.
 *
 * kill -9 at any instruction: the depth goes back first and the cursor after it, by one store; the
 * call is counted last. Between the two finishing finds an Enter that nobody has left, as it does
 * when a process dies inside of a call. A call whose wrapper has returned is in the archive or in
 * the numbers.
 *
 * Such a location has SPUR_GATE_CONTROL in its gate, so that only the long way comes here; all is
 * done by the thread that owns the location.
 */
#ifndef SPUR_SHORT_CALLS_H
#define SPUR_SHORT_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/record/location.h"

/* The files have been opened: define what will be recorded, if calls are to be left out. */
void spur_short_define(void);
/* In ticks of the event clock; 0: all calls are kept. */
uint64_t spur_short_limit(void);

/* What a location has of it. NULL: no memory, its calls are kept. */
struct spur_shorts *spur_short_new(uint64_t limit);
void spur_short_free(struct spur_shorts *shorts);

void spur_short_note(struct spur_loc *loc);
void spur_short_note_end(struct spur_loc *loc);
bool spur_short_take_back(struct spur_loc *loc);
void spur_short_write(struct spur_loc *loc);

/* An Enter is about to be written at the location's time, with what belongs to it. */
static inline void spur_short_enter(struct spur_loc *loc)
{
    if (loc->shorts)
        spur_short_note(loc);
}

/* It has been written, and is not yet counted as open. */
static inline void spur_short_entered(struct spur_loc *loc)
{
    if (loc->shorts)
        spur_short_note_end(loc);
}

/* What has been left out so far, before an end at the location's time that stays. */
static inline void spur_short_tell(struct spur_loc *loc)
{
    if (loc->shorts)
        spur_short_write(loc);
}

/* The innermost region is left at the location's time. True: it was taken back, there is no Leave.
 */
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
