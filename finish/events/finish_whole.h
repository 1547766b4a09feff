/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The complete events of a thread if files were truncated, or end in zeros, as after a power
 * failure: all events before the first incomplete one, in whichever file that is. Events behind a
 * gap cannot be put in order with the rest and are left out.
 */
#ifndef SPUR_FINISH_WHOLE_H
#define SPUR_FINISH_WHOLE_H

#include "finish/events/finish_moving.h"

enum finish_look {
    FINISH_LOOK_QUICK, /* at the headers, the end, and the number of events that the slot tells */
    FINISH_LOOK_ALL,   /* at all events: of what was written before the machine started */
    FINISH_LOOK_CUT,   /* it is known that the end is missing */
};

/* How it has to be looked at if nothing is known to be missing. */
enum finish_look finish_whole_look(const struct finish_moving *m);

/*
 * See if something is missing in the thread's file, or in m->block behind it. Then cut both and
 * describe in m->slot what is open there, as if the thread had died at that event. The file has
 * whole chunks only, but with FINISH_LOOK_CUT, or if it is closed. 0 or -errno.
 */
int finish_whole(struct finish_moving *m, enum finish_look look);

/*
 * The file ends inside of a chunk, behind `whole` ones. If only the zeros behind the chunk's events
 * are missing, put them there. False: events are missing.
 */
bool finish_whole_fill(const struct finish_moving *m, uint64_t whole);

/* The process's archive says that something was cut off of this thread. */
void finish_whole_note(struct finish_moving *m);

/*
 * Is the file empty although the first event that the slot still holds is not the thread's first?
 * Then what the slot holds is like what a ring has kept.
 */
bool finish_whole_lacks_file(const struct finish_moving *m, const char *segment);

#endif
