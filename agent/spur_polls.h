/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: calls that ask whether something has happened, and come back at once. The wrapper tells
 * whether a call is a poll, and whether the poll was successful. After 63 unsuccessful polls in a
 * row, with nothing else recorded between, the following polls are one region for each function, up
 * to the successful poll (agent/record/polls.c). A successful poll is in that region only if all
 * polls of the row asked for one thing, since the region's time is then waiting for it.
 */
#ifndef SPUR_POLLS_H
#define SPUR_POLLS_H

#include <stdbool.h>

struct spur_call;
struct spur_loc;

/*
 * The real call has returned, and spur_tick() has given the location the time of the Leave. Before
 * any record of this time. `what` is the object of the poll; NULL: any object. True: the call is to
 * be left by spur_leave_poll(); a successful poll of a lock never is. At calls without polls the
 * hot path has no work for polls.
 */
bool spur_poll(struct spur_loc *loc, const void *what, bool is_done);
void spur_leave_poll(struct spur_loc *loc, struct spur_call *call);
/* The call is counted in the region of the unsuccessful polls before: the records of those polls
 * need not be repeated. */
bool spur_poll_is_counted(const struct spur_loc *loc);

#endif
