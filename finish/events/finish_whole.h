/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The complete events of a thread if files were truncated, or end in zeros, as after a power
 * failure: all events before the first incomplete event, in any file. Events behind a gap cannot be
 * put in order with the rest and are left out.
 */
#ifndef SPUR_FINISH_WHOLE_H
#define SPUR_FINISH_WHOLE_H

#include "finish/events/finish_moving.h"

enum finish_look {
    FINISH_LOOK_QUICK, /* at the headers, the end, and the number of events in the slot */
    FINISH_LOOK_ALL,   /* at all events: for files written before the machine started */
    FINISH_LOOK_CUT,   /* the end is known to be missing */
};

/* The necessary kind of look if nothing is known to be missing. */
enum finish_look finish_whole_look(const struct finish_moving *m);

/*
 * Look for missing parts in the thread's file, or in m->block behind the file. Then cut both and
 * describe in m->slot the items open at the cut, as if the thread had died at the last kept event.
 * The file has whole chunks only, except with FINISH_LOOK_CUT, or if the file is closed. 0 or
 * -errno.
 */
int finish_whole(struct finish_moving *m, enum finish_look look);

/*
 * The file ends inside of a chunk, behind `whole` whole chunks. If only the zeros behind the
 * chunk's events are missing, append the zeros. False: events are missing.
 */
bool finish_whole_fill(const struct finish_moving *m, uint64_t whole);

/* Let the archive say of the process that a part of this thread was cut off. */
void finish_whole_note(struct finish_moving *m);

/*
 * Is the file empty although the first event still held by the slot is not the thread's first? If
 * so, the slot's events are like the kept events of a ring.
 */
bool finish_whole_lacks_file(const struct finish_moving *m, const char *segment);

#endif
