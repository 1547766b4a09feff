/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of pthread_calls.def mean: each function here records for one wrapped call, which
 * `frame` describes. They are called by the thread that calls, between its Enter and its Leave.
 */
#ifndef WRAPPERS_PTHREAD_EMIT_H
#define WRAPPERS_PTHREAD_EMIT_H

#include "agent/spur_agent.h"
#include "wrappers/pthread/pthread_record.h"

/* One wrapped call while it lasts; lies on the wrapper's stack. */
struct pthread_frame {
    struct spur_loc *loc;
    struct spur_call *call;
    const void *released;          /* lock given up for the time of the call, or NULL */
    struct pthread_identity joins; /* thread that is waited for */
};

/*
 * Locks. An acquisition is recorded when `ret`, a value of the function, says that the lock is
 * held: success, or the robust mutex of a dead owner. A release is recorded when an acquisition of
 * the same lock by this thread was; it carries the number of the innermost one, which makes
 * recursive mutexes and locks shared by readers right. So an unlock that fails records none.
 */
void pthread_emit_acquired(const struct pthread_frame *frame, int ret, const void *lock);
/* Of a lock that others may acquire at the same moment; takes the time once more. */
void pthread_emit_shared(const struct pthread_frame *frame, int ret, const void *lock);
void pthread_emit_released(struct pthread_frame *frame, const void *lock);
/* After pthread_emit_released(), when the call has taken the lock again. */
void pthread_emit_reacquired(const struct pthread_frame *frame);
/* A lock was made or unmade at this address (ret 0): what lay there before is another one. */
void pthread_emit_forgotten(int ret, const void *lock);

/* Joining: remember who `thread` is while its name is good, and record the wait on success. */
void pthread_emit_joins(struct pthread_frame *frame, pthread_t thread);
void pthread_emit_joined(const struct pthread_frame *frame, int ret, pthread_t thread);

/*
 * A cleanup handler: the thread was cancelled inside the real function. Leaves the region, so that
 * the program's own handlers are recorded as what they are. `frame` is a struct pthread_frame.
 */
void pthread_emit_cancelled(void *frame);

/* The thread has ended: give back what the above kept for it. */
void pthread_emit_thread_end(void);
/* In a child of fork(): what the thread holds was acquired in another trace. */
void pthread_emit_forked(void);

#endif
