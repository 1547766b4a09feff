/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counts in place of records for locks without waiting (SPUR_PTHREAD=auto). A lock, a semaphore or
 * a condition has an entry in a table. The entry is found by the address of the object, without a
 * lock. As long as `left` is above 0, the next acquisitions are recorded: the first 64, and after a
 * waiting until 1,000 acquisitions in a row had no waiting. The acquisitions after these are
 * counted: no record, and only one reading of the clock. By the reading, a thread that has to wait
 * can say since when the lock is held.
 *
 * Each thread keeps its counted locks in a list that other threads can read. A thread that has to
 * wait writes the holder of the lock, the time of the acquisition and the place of the call. The
 * holder writes the acquisition late, right before the release.
 *
 * At the end of the process the number of acquisitions and of threads becomes a property of the
 * process.
 */
#ifndef WRAPPERS_PTHREAD_COUNT_H
#define WRAPPERS_PTHREAD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"
#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_mode.h"

enum {
    PTHREAD_FIRST = 64,  /* acquisitions of a lock that are recorded */
    PTHREAD_CALM = 1000, /* without waiting: a lock that was waited for is counted again */
    PTHREAD_BUSY = 10000 /* of a thread without waiting: it begins new locks as counted */
};

/*
 * The object of a call. If several threads may acquire an object at the same time, the count goes
 * another way.
 */
enum pthread_counts { PTHREAD_LOCK, PTHREAD_SHARED, PTHREAD_SEMAPHORE, PTHREAD_CONDITION };

struct pthread_counted;

/*
 * Findings of other_NAME() about a call before the record of the call; lies on the stack of
 * other_NAME().
 */
struct pthread_tried {
    const struct spur_caller *caller;
    struct pthread_counted *entry;
    enum pthread_counts what;
    const void *lock;  /* a lock to be waited for, or released late; else NULL */
    const void *taken; /* late: place of the acquisition, and */
    uint64_t since;    /* time of the acquisition; 0: no late release */
    bool is_done;      /* the real function has been called */
    int ret;           /* result of the real function */
};

/* At the start of the family, if locks are counted. */
void pthread_count_start(void);
/* In a child of fork(): the counts are the parent's. */
void pthread_count_forked(void);
/* The thread has ended: for each lock that the thread still holds, no holder is known any more. */
void pthread_count_thread_end(void);

/* The call may be counted: the thread records now, and the object has an entry. */
bool pthread_count_may(struct pthread_tried *tried, const void *object, enum pthread_counts what);

/*
 * The quick way of a call by `caller`, for a call that is only counted. In order: find the lock's
 * entry; count a lock that the call has acquired without waiting; count a release of the lock;
 * count a signal. NULL, false: nothing has been done, and the call goes the way below.
 */
struct pthread_counted *pthread_quick_find(const void *lock, const void *caller);
void pthread_quick_count(struct pthread_counted *entry, bool is_alone, const void *taken);
bool pthread_quick_gives(const void *lock);
bool pthread_quick_signals(const void *object, const void *caller);

/*
 * The verdict of a call that acquires the object. The function has a sister that does not wait, and
 * the sister has returned `got`.
 */
enum pthread_verdict pthread_count_tried(struct pthread_tried *tried, int *ret, const void *object,
                                         int got);
/* The same for a call that never waits, and has returned `ret`. */
enum pthread_verdict pthread_count_tries(struct pthread_tried *tried, int *ret, const void *object,
                                         int got);
/*
 * The next acquisition is recorded. The second function notes the recorded acquisition, by a call
 * without waiting (`is_calm`) or by a call that may have to wait.
 */
bool pthread_count_records(const struct pthread_counted *entry);
void pthread_count_recorded(struct pthread_tried *tried, bool is_calm);
/* A release of a lock. */
enum pthread_verdict pthread_count_held(struct pthread_tried *tried, const void *lock);
/* A signal to the waiters of a condition, a post of a semaphore. */
enum pthread_verdict pthread_count_signals(struct pthread_tried *tried, const void *object,
                                           enum pthread_counts what);
/* The thread is about to wait for the condition. */
void pthread_count_waits(struct pthread_tried *tried, const void *object);
/* An object begins or ends at the address. */
enum pthread_verdict pthread_count_remade(struct pthread_tried *tried, const void *object);

/* The call has been entered: records the holder of the awaited lock, or the late acquisition. */
void pthread_count_entered(struct pthread_frame *frame, const struct pthread_tried *tried);

/*
 * A wait for a condition releases a counted lock; the second function: the wait has taken the lock
 * again. False: the thread does not hold the lock, or a thread waited for the lock. In the second
 * case the late acquisition is written.
 */
bool pthread_count_gives(const struct pthread_frame *frame, const void *lock);
void pthread_count_takes(const struct pthread_frame *frame, const void *lock);
/* The lock is released, without a record. */
void pthread_count_drops(const void *lock);

#endif
