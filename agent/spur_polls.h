/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Polls: calls that ask whether something has happened, and come back at once. The wrapper says
 * that a call is one, and whether the call found what it asks for. After 63 unsuccessful calls in a
 * row, with nothing else recorded between, the calls that follow are one region for each function,
 * up to the call that succeeds (agent/record/polls.c). A successful call is in that region only if
 * all its calls asked for one thing, since the region's time is then waiting for it.
 */
#ifndef SPUR_POLLS_H
#define SPUR_POLLS_H

#include <stdbool.h>

struct spur_call;
struct spur_loc;

/*
 * The real call has returned, and spur_tick() has given the location the time of the Leave. Before
 * any record of this time. `what` is asked for; NULL: it does not matter. True: the call is to be
 * left by spur_leave_poll(); a successful one of a lock never is. At other calls the hot path has
 * nothing to do with polls.
 */
bool spur_poll(struct spur_loc *loc, const void *what, bool is_done);
void spur_leave_poll(struct spur_loc *loc, struct spur_call *call);
/* The call is one with the unsuccessful ones before: what they have said need not be said again. */
bool spur_poll_is_counted(const struct spur_loc *loc);

#endif
