/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks that nobody waits for are counted instead of recorded (SPUR_PTHREAD=auto). A lock, a
 * semaphore or a condition has an entry here, found by its address without a lock. Its next
 * acquisitions are recorded as long as `left` is above 0: the first 64, and from a waiting on
 * until 1,000 in a row without one. Then they are counted: no record, and of the clock one reading,
 * so that a thread that has to wait can say since when the lock is held.
 *
 * Each thread keeps the counted locks that it holds where other threads can read them. The thread
 * that has to wait writes who holds the lock, since when, and taken where; the holder writes the
 * acquisition late, right before the release.
 *
 * The number of acquisitions and of threads becomes a property of the process when it ends.
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

/* What a call acquires: one that others may acquire at the same time is counted in other ways. */
enum pthread_counts { PTHREAD_LOCK, PTHREAD_SHARED, PTHREAD_SEMAPHORE, PTHREAD_CONDITION };

struct pthread_counted;

/* What other_NAME() has found out about a call before it is recorded; lies on its stack. */
struct pthread_tried {
    const struct spur_caller *caller;
    struct pthread_counted *entry;
    enum pthread_counts what;
    const void *lock;  /* the call is about to wait for it, or releases it late; else NULL */
    const void *taken; /* late: where the lock was taken, and */
    uint64_t since;    /* when; 0: it is no late release */
    bool is_done;      /* the real function has been called */
    int ret;           /* and returned this */
};

/* At the start of the family, if locks are counted. */
void pthread_count_start(void);
/* In a child of fork(): the counts are the parent's. */
void pthread_count_forked(void);
/* The thread has ended: what it still holds is held by nobody that is known. */
void pthread_count_thread_end(void);

/* The call may be counted: the thread records now, and the object has an entry. */
bool pthread_count_may(struct pthread_tried *tried, const void *object, enum pthread_counts what);

/*
 * The quick way of a call by `caller` for which there is nothing to do but to count: the lock's
 * entry; the call has acquired the lock without waiting; it releases the lock; it is a signal.
 * NULL, false: nothing has been done, and the call goes the way below.
 */
struct pthread_counted *pthread_quick_find(const void *lock, const void *caller);
void pthread_quick_count(struct pthread_counted *entry, bool is_alone, const void *taken);
bool pthread_quick_gives(const void *lock);
bool pthread_quick_signals(const void *object, const void *caller);

/*
 * The verdict of a call that acquires the object, and whose sister that does not wait has returned
 * `got`.
 */
enum pthread_verdict pthread_count_tried(struct pthread_tried *tried, int *ret, const void *object,
                                         int got);
/* The same of a call that never waits, and has returned `ret`. */
enum pthread_verdict pthread_count_tries(struct pthread_tried *tried, int *ret, const void *object,
                                         int got);
/* The next acquisition is recorded. And: it is, by a call that need not wait, or may have to. */
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

/* The call has been entered: who holds the lock that it waits for, or the late acquisition. */
void pthread_count_entered(struct pthread_frame *frame, const struct pthread_tried *tried);

/*
 * A wait for a condition releases a counted lock, and has taken it again. False: the thread does
 * not hold the lock, or it was waited for: then its late acquisition is written.
 */
bool pthread_count_gives(const struct pthread_frame *frame, const void *lock);
void pthread_count_takes(const struct pthread_frame *frame, const void *lock);
/* The lock is released, and not recorded. */
void pthread_count_drops(const void *lock);

#endif
