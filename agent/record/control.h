/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recording switched off and on while the process runs: by the process itself (spur_recording()),
 * or by another process of the same user (spur-control), without a signal and without an additional
 * test per event.
 *
 * The other process writes its request to `asked` in the head of the segment, and then 0 to the
 * `room` of each live slot. A thread that enters a call compares its depth with `room` anyway, to
 * know whether the slot has room for one more open region. So the thread takes the longer path,
 * restores `room`, and follows the request. While recording is paused, every call that could be
 * recorded takes the longer path and looks only at `asked`. A process without a segment finds the
 * session's request, the file `control` in DIR/.spur, when the process makes its segment.
 *
 * MeasurementOnOff stands in the events of each location that noticed: at the time of the switch,
 * or at the location's last event if later. A location without a call in the pause has none. A call
 * of MPI entered in the pause stands in the slot, so that the place of a thread without further
 * calls is known. Finishing records such a call from the switch on, or the thread itself does when
 * the call is over.
 *
 * All functions but spur_control_ask() are called by the thread itself, with the guard up.
 */
#ifndef SPUR_CONTROL_H
#define SPUR_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/record/location.h"

extern _Atomic uint32_t *spur_control_asked; /* in the segment, else a word of its own */

/* A new location, with its slot: a request made before the slot could be seen is not missed. */
void spur_control_watch(struct spur_loc *loc);

/* The main thread's location, owned, has begun its program: was recording paused from the start? */
void spur_control_begin(struct spur_loc *loc);

/* The slot's room is 0: find the reason. False: recording is paused now. */
bool spur_control_attend(struct spur_loc *loc);

/*
 * Recording is paused, and the thread enters a call of this region. Readers of the segment see the
 * thread in the call. `silent` takes the records of the call, which are dropped. And: the call
 * returns; if recording has resumed meanwhile, the call is recorded from then on.
 */
void spur_control_stands(struct spur_loc *silent, uint32_t region);
void spur_control_stood(struct spur_loc *silent);

/* Recording was paused until now, for all threads; the caller, with the guard up, has no location.
 */
void spur_control_begin_now(void);

/* Recording is paused: true if recording resumes. */
bool spur_control_resumes(void);

static inline bool spur_control_must_attend(const struct spur_loc *loc)
{
    return !atomic_load_explicit(&loc->slot->room, memory_order_relaxed);
}

/*
 * The files have been opened: is recording to begin paused? The session's request decides, else the
 * state of the parent at the fork, else the setting.
 */
bool spur_control_starts_off(const char *dir);

/* In a child of fork(): there is no segment yet, and the state of the parent counts. */
void spur_control_after_fork(void);

#endif
