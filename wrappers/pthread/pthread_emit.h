/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of pthread_calls.def mean: each function here records for one wrapped call, which
 * `frame` describes. They are called by the thread that calls, between its Enter and its Leave.
 */
#ifndef WRAPPERS_PTHREAD_EMIT_H
#define WRAPPERS_PTHREAD_EMIT_H

#include "agent/spur_agent.h"
#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_record.h"

/*
 * Locks. An acquisition is recorded when `ret`, a value of the function, says that the lock is
 * held: success, or the robust mutex of a dead owner. A release is recorded when an acquisition of
 * the same lock by this thread was; it carries the number of the innermost one, which makes
 * recursive mutexes and locks shared by readers right. So an unlock that fails records none.
 *
 * The first four also leave the call's region, now, and pthread_emit_unlock() enters it as
 * pthread_frame_enter() does: that costs less than one after the other.
 */
void pthread_emit_acquired(struct pthread_frame *frame, bool is_async, int ret, const void *lock);
/* For a mutex that may be robust: the end of its owner releases it. */
void pthread_emit_owned(struct pthread_frame *frame, bool is_async, int ret,
                        const pthread_mutex_t *mutex);
/* For a lock that others may acquire at the same moment. */
void pthread_emit_shared(struct pthread_frame *frame, bool is_async, int ret, const void *lock);
/* For a call that never waits: if it is to be left as a poll, it is left. */
bool pthread_emit_polled(struct pthread_frame *frame, bool is_async, bool is_busy,
                         const void *lock);
struct spur_loc *pthread_emit_unlock(struct pthread_frame *frame, bool is_async, const void *lock,
                                     struct spur_caller caller);
/* For a lock that is released for the time of the call. Entering it comes first. */
struct spur_loc *pthread_emit_wait(struct pthread_frame *frame, bool is_async, const void *lock,
                                   struct spur_caller caller);
void pthread_emit_released(struct pthread_frame *frame, const void *lock);
/* After pthread_emit_released(), when the call has taken the lock again. */
void pthread_emit_reacquired(const struct pthread_frame *frame);
/* A lock was made or unmade at this address (ret 0): what lay there before is another one. */
void pthread_emit_forgotten(int ret, const void *lock);

/* The thread has acquired the lock in a call that is not recorded; the record comes now. */
void pthread_emit_late(const struct pthread_frame *frame, const void *lock);
/* The thread holds the lock by a recorded call. */
bool pthread_emit_holds(const void *lock);
/*
 * The lock was acquired by a call that is not recorded; so will its release be. Of interest only if
 * the thread holds the lock already, by a recorded one.
 */
void pthread_emit_skipped(const void *lock);
/*
 * Is the acquisition that an unlock undoes a recorded one? If it is a skipped one, it is undone.
 */
bool pthread_emit_is_held(const void *lock);

/* A join with that result: `joined` is who `thread` was before, while its name was good. */
void pthread_emit_joined(const struct pthread_frame *frame, int ret, pthread_t thread,
                         const struct pthread_identity *joined);

/*
 * The thread has ended: release the robust mutexes that it holds, as the kernel is about to do, and
 * give back what the above kept for it.
 */
void pthread_emit_thread_end(void);
/* In a child of fork(): what the thread holds was acquired in another trace. */
void pthread_emit_forked(void);

/* The lock may not be free; the thread to be joined may not have ended: the call may wait. */
void pthread_emit_blocks(struct pthread_frame *frame, const void *lock);
void pthread_emit_joins(struct pthread_frame *frame, const struct pthread_identity *joined);

#endif
