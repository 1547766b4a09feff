/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The part of the family that is recorded (SPUR_PTHREAD), and the reasons for a call to be unusual.
 * All reasons are behind one flag, so the usual call looks at one word.
 */
#ifndef WRAPPERS_PTHREAD_MODE_H
#define WRAPPERS_PTHREAD_MODE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "agent/spur_agent.h"

enum pthread_mode {
    PTHREAD_OFF,
    PTHREAD_LIFETIME,
    PTHREAD_CONTENDED,
    PTHREAD_COUNTED,
    PTHREAD_ALL
};

/* PTHREAD_OFF before the start. */
extern enum pthread_mode pthread_mode;

/*
 * A call is to look further before the record: not all calls are recorded, or a thread has made
 * itself asynchronously cancellable. Raised before the start.
 */
extern _Atomic bool pthread_is_special;

/*
 * The calling thread may be cancelled at any instruction. The agent must not be cancelled, and
 * works with cancellation deferred.
 */
extern __thread bool pthread_is_async;

void pthread_mode_start(void);

/*
 * The cancellation type of the calling thread becomes asynchronous, or is no longer asynchronous.
 */
void pthread_mode_async(bool is_async);

/*
 * The mode for a call from the address `caller`: nothing is recorded of a call by a library whose
 * locks and threads are the library's own affair (agent/spur_locks.h).
 */
static inline enum pthread_mode pthread_mode_from(const void *caller)
{
    return spur_locks_are_left_out(caller) ? PTHREAD_OFF : pthread_mode;
}

/* The verdict on a call. */
enum pthread_verdict {
    PTHREAD_RECORDS, /* record the call */
    PTHREAD_PASSES,  /* call the real function */
    PTHREAD_IS_DONE  /* the real function has been called, with success */
};

/*
 * The verdicts of rows, by the words of pthread_calls.def. `ret` is the result of the wrapper,
 * `mode` the mode of the caller.
 */
static inline enum pthread_verdict pthread_records_from(enum pthread_mode mode,
                                                        enum pthread_mode least)
{
    return mode >= least ? PTHREAD_RECORDS : PTHREAD_PASSES;
}

/*
 * A function that waits has a sister function without waiting. The sister has returned `got` for
 * `lock`.
 */
enum pthread_verdict pthread_mode_tried(int *ret, const void *lock, int got);
/* The same for a function that never waits. */
enum pthread_verdict pthread_mode_tries(int *ret, const void *lock, int got);
/* A release: recorded if the acquisition is. */
enum pthread_verdict pthread_mode_held(enum pthread_mode mode, const void *lock);
/* An object begins or ends at the address. */
enum pthread_verdict pthread_mode_remade(enum pthread_mode mode, const void *object);

/*
 * A clock and a time that the C library accepts. With a wrong clock or time the C library fails
 * even if no wait is needed: then the real function is called to return the error.
 */
bool pthread_mode_is_time(clockid_t clock, const struct timespec *until);

#endif
