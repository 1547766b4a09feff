/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording switched off and on while the process runs: by the process itself (spur_recording()),
 * or by another process of the same user (spur-control), without a signal and without an additional
 * test per event.
 *
 * The other process writes its request to `asked` in the head of the segment, and then 0 to the
 * `room` of each live slot. A thread that enters a call compares its depth with that word anyway,
 * to know whether the slot has room for one more open region. So the thread takes the longer path,
 * restores the word, and does what was requested. While recording is paused, every call that could
 * be recorded takes the longer path and looks only at `asked`. A process without a segment finds
 * the session's request, the file `control` in DIR/.spur, when it makes its segment.
 *
 * MeasurementOnOff stands in the events of each location that noticed: at the time of the switch,
 * or at its last event if that is later. A location without a call in the pause has none. A call of
 * MPI that is entered in the pause stands in the slot, so that it is known where a thread is that
 * comes by no more: from the switch on by finishing, or by the thread itself when the call is over.
 *
 * All but spur_control_ask() are called by the thread itself, with the guard up.
 */
#ifndef SPUR_CONTROL_H
#define SPUR_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/record/location.h"

extern _Atomic uint32_t *spur_control_asked; /* in the segment; a word of its own without one */

/* A new location, with its slot: what was asked before it could be seen is not missed. */
void spur_control_watch(struct spur_loc *loc);

/* The main thread's location, owned, has begun its program: was it paused from the start? */
void spur_control_begin(struct spur_loc *loc);

/* The slot's room is 0: see why. False: recording is paused now. */
bool spur_control_attend(struct spur_loc *loc);

/*
 * Recording is paused, and the thread enters a call of this region. Readers of the segment see that
 * it is in there. `silent` takes its records, which are dropped. And: the call returns; if
 * recording has resumed meanwhile, the call is recorded from then on.
 */
void spur_control_stands(struct spur_loc *silent, uint32_t region);
void spur_control_stood(struct spur_loc *silent);

/* Recording was paused until now, for all threads; the caller, with the guard up, has no location.
 */
void spur_control_begin_now(void);

/* Recording is paused: true if it goes on. */
bool spur_control_resumes(void);

static inline bool spur_control_must_attend(const struct spur_loc *loc)
{
    return !atomic_load_explicit(&loc->slot->room, memory_order_relaxed);
}

/*
 * The files have been opened: is recording to begin paused? By what was asked of the session, else
 * by what the parent did when it forked, else by the setting.
 */
bool spur_control_starts_off(const char *dir);

/* In a child of fork(): there is no segment yet, and what the parent did counts. */
void spur_control_after_fork(void);

#endif
