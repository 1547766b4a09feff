/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meanings of the calls of pthread_calls.def: each function here writes the records of one
 * wrapped call. `frame` describes the call. The thread of the call calls the function, between the
 * Enter and the Leave of the call.
 */
#ifndef WRAPPERS_PTHREAD_EMIT_H
#define WRAPPERS_PTHREAD_EMIT_H

#include "agent/spur_agent.h"
#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_record.h"

/*
 * Locks. An acquisition is recorded when `ret`, a value of the function, says that the lock is
 * held: success, or the robust mutex of a dead owner. A release is recorded when this thread has a
 * recorded acquisition of the same lock. So a failed unlock has no record. The release carries the
 * number of the innermost acquisition: so recursive mutexes and locks shared by readers are right.
 *
 * The first four functions also leave the region of the call, now. pthread_emit_unlock() enters the
 * region, like pthread_frame_enter(). One call for both costs less than two calls.
 */
void pthread_emit_acquired(struct pthread_frame *frame, bool is_async, int ret, const void *lock);
/* For a mutex that may be robust: the end of the owner releases the mutex. */
void pthread_emit_owned(struct pthread_frame *frame, bool is_async, int ret,
                        const pthread_mutex_t *mutex);
/* For a lock that several threads may acquire at the same moment. */
void pthread_emit_shared(struct pthread_frame *frame, bool is_async, int ret, const void *lock);
/* For a call that never waits: leaves the call as a poll if the call counts as a poll. */
bool pthread_emit_polled(struct pthread_frame *frame, bool is_async, bool is_busy,
                         const void *lock);
struct spur_loc *pthread_emit_unlock(struct pthread_frame *frame, bool is_async, const void *lock,
                                     struct spur_caller caller);
/* For a lock that is released for the time of the call. Entering the call comes first. */
struct spur_loc *pthread_emit_wait(struct pthread_frame *frame, bool is_async, const void *lock,
                                   struct spur_caller caller);
void pthread_emit_released(struct pthread_frame *frame, const void *lock);
/* After pthread_emit_released(), when the call has taken the lock again. */
void pthread_emit_reacquired(const struct pthread_frame *frame);
/* A lock was made or unmade at this address (ret 0): an earlier lock there was another lock. */
void pthread_emit_forgotten(int ret, const void *lock);

/* The thread has acquired the lock in an unrecorded call; the record comes now. */
void pthread_emit_late(const struct pthread_frame *frame, const void *lock);
/* The thread holds the lock by a recorded call. */
bool pthread_emit_holds(const void *lock);
/*
 * The lock was acquired by an unrecorded call, and the release will have no record either. Of
 * interest only if the thread already holds the lock by a recorded call.
 */
void pthread_emit_skipped(const void *lock);
/*
 * Does the unlock undo a recorded acquisition? If the acquisition was a skipped one, undoes the
 * skipped acquisition.
 */
bool pthread_emit_is_held(const void *lock);

/*
 * A join with the result `ret`. `joined`: the identity of `thread` before the call, when the id was
 * still valid.
 */
void pthread_emit_joined(const struct pthread_frame *frame, int ret, pthread_t thread,
                         const struct pthread_identity *joined);

/*
 * The thread has ended: release the robust mutexes of the thread, as the kernel is about to do, and
 * give back the memory for the thread's locks.
 */
void pthread_emit_thread_end(void);
/* In a child of fork(): the thread acquired the held locks in another trace. */
void pthread_emit_forked(void);

/* The lock may not be free, or the thread to be joined may not have ended: the call may wait. */
void pthread_emit_blocks(struct pthread_frame *frame, const void *lock);
void pthread_emit_joins(struct pthread_frame *frame, const struct pthread_identity *joined);

#endif
