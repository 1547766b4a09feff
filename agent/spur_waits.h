/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The object of a thread's wait in a call that may block: for a report about a program that stands
 * still. A few stores to the thread's slot; no record, no clock. Included by agent/spur_agent.h.
 */
#ifndef SPUR_WAITS_H
#define SPUR_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/wait_kinds.h"

struct spur_call;
struct spur_loc;

/*
 * Enter a call refused by spur_enter(), without later calls that depend on the call: as
 * spur_follow() while recording is paused, so that readers see the thread in the call. Else NULL.
 */
struct spur_loc *spur_stand(struct spur_call *call);

/* In a call that was entered, before the real one. Communicators are the process's own ids. */
void spur_waits(struct spur_loc *loc, enum spur_wait kind, uint32_t comm, uint32_t peer,
                uint32_t tag);
void spur_waits_request(struct spur_loc *loc, enum spur_wait kind, uint64_t handle);
/* If the lock is known. */
void spur_waits_lock(struct spur_loc *loc, const void *lock);
/* And after the real call. */
void spur_waits_over(struct spur_loc *loc);

/* Where a message is remembered that is under way under this request; NULL: nowhere. */
struct spur_posted *spur_posted(uint64_t id);

#endif
