/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks: who has acquired which, how often and in what order. Included by agent/spur_agent.h.
 */
#ifndef SPUR_LOCKS_H
#define SPUR_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

struct spur_call;
struct spur_caller;
struct spur_loc;

/* One acquisition of a lock, for ThreadAcquireLock and the ThreadReleaseLock that repeats it. */
struct spur_hold {
    uint32_t id;    /* of the lock, dense per process from 0; or the next */
    uint32_t order; /* its acquisitions so far, this one included */
    void *lock;     /* belongs to the agent */
};
/* No memory, or nothing is recorded: this acquisition and its release have no records. */
#define SPUR_NO_LOCK UINT32_MAX

/*
 * The lock was acquired once more. If necessary, moves the location's time to that of the last
 * acquisition or release: two processors' clocks, or a clock read a few instructions early, must
 * not show two owners of a lock, nor readers in another order than they are counted. Called by the
 * thread that holds the lock, after spur_tick(). O(1), thread-safe.
 */
struct spur_hold spur_lock_acquired(struct spur_loc *loc, const void *lock);
/* The lock is about to be released, at the location's time. After the record of that. */
void spur_lock_released(const struct spur_loc *loc, const struct spur_hold *hold);
/*
 * The same, and there is no record of it: recording is off. Who acquires it next may still have
 * one, and does not find it held: it counts as another lock from now on.
 */
void spur_lock_lost(const struct spur_hold *hold);
/*
 * The same with the records. The first is for a call that enters a region and releases a lock at
 * that time, the second for one that acquires a lock and leaves its region now. `hold` is written
 * before another call of this thread can be recorded.
 */
struct spur_loc *spur_enter_release(struct spur_call *call, const struct spur_hold *hold,
                                    struct spur_caller caller);
void spur_leave_acquired(struct spur_loc *loc, struct spur_call *call, const void *lock,
                         struct spur_hold *hold);
/* The number of the lock, or of another object; SPUR_NO_LOCK: no memory. The guard is up. */
uint32_t spur_lock_number(const void *lock);
/* The object's address may be reused for another: forget it. */
void spur_object_forget(const void *object);

/* ---- locks that are counted and not recorded ---- */

/*
 * The thread has recorded, its calls are recorded now, and nothing is to be done first: a call that
 * is only counted would have been recorded. *generation: spur_generation().
 */
bool spur_is_steady(uint32_t *generation);
/* Number of the calling thread in the process; UINT32_MAX: it has not recorded. */
uint32_t spur_thread_number(void);

/* A thread of that number holds a lock since then; the call that took it returns to `taken`. */
struct spur_holding {
    uint32_t lock;
    uint32_t thread;
    uint64_t since;
    const void *taken;
};
/* In a call of the location: records at its time that say so. */
void spur_put_holding(struct spur_loc *loc, const struct spur_holding *holding);

/* ---- libraries whose locks and threads are their own affair ---- */

/*
 * The library that has this address: its calls of locks and threads are not recorded from now on,
 * as those within a wrapped call are not. Takes a lock of the loader. Thread-safe. So many
 * libraries may be left out; more are ignored.
 */
enum { SPUR_LOCKS_LEFT_OUT = 8 };
void spur_locks_leave_out(const void *address);
/* Is the caller such a library? O(1), async-signal-safe. */
bool spur_locks_are_left_out(const void *caller);
/* `call` is called when there is the first one. */
void spur_locks_at_left_out(void (*call)(void));

#endif
