/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the family is recorded (SPUR_PTHREAD), and what makes a call an unusual one. All of
 * it is behind one flag, so that the usual call looks at one word.
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
 * A call is to look further before it is recorded: not everything is recorded, or a thread has
 * made itself asynchronously cancellable. Raised before the start.
 */
extern _Atomic bool pthread_is_special;

/*
 * The calling thread may be cancelled at any instruction, which the agent must not be: it does its
 * work with cancellation deferred.
 */
extern __thread bool pthread_is_async;

void pthread_mode_start(void);

/* The type of the calling thread's cancellation becomes asynchronous, or is no longer. */
void pthread_mode_async(bool is_async);

/*
 * How much of a call from there is recorded: nothing of one by a library whose locks and threads
 * are its own affair (agent/spur_locks.h).
 */
static inline enum pthread_mode pthread_mode_from(const void *caller)
{
    return spur_locks_are_left_out(caller) ? PTHREAD_OFF : pthread_mode;
}

/* What is to be done with a call. */
enum pthread_verdict {
    PTHREAD_RECORDS, /* record it */
    PTHREAD_PASSES,  /* call the real function */
    PTHREAD_IS_DONE  /* it has been called, with success */
};

/*
 * The verdicts of rows, by the words of pthread_calls.def. `ret` is the wrapper's result, `mode` is
 * that of the caller.
 */
static inline enum pthread_verdict pthread_records_from(enum pthread_mode mode,
                                                        enum pthread_mode least)
{
    return mode >= least ? PTHREAD_RECORDS : PTHREAD_PASSES;
}

/* A function that waits has a sister that does not, and that returned `got` for `lock`. */
enum pthread_verdict pthread_mode_tried(int *ret, const void *lock, int got);
/* The same for a function that never waits. */
enum pthread_verdict pthread_mode_tries(int *ret, const void *lock, int got);
/* A release: recorded if the acquisition is. */
enum pthread_verdict pthread_mode_held(enum pthread_mode mode, const void *lock);
/* An object begins or ends at the address. */
enum pthread_verdict pthread_mode_remade(enum pthread_mode mode, const void *object);

/*
 * The C library finds fault with these even where it need not wait: the real function is to say so.
 */
bool pthread_mode_is_time(clockid_t clock, const struct timespec *until);

#endif
