/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Locks: the owners of each lock, the number and the order of acquisitions. Included by
 * agent/spur_agent.h.
 */
#ifndef SPUR_LOCKS_H
#define SPUR_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "session/lock_cell.h"

struct spur_call;
struct spur_caller;
struct spur_loc;

/* One acquisition of a lock, for ThreadAcquireLock and for the ThreadReleaseLock with the same
 * numbers. */
struct spur_hold {
    uint32_t id;         /* of the lock, dense per process from 0; or the next */
    uint32_t order;      /* acquisitions of the lock so far, with this one */
    void *lock;          /* belongs to the agent */
    uint32_t generation; /* of the process: a child of fork() does not hold the lock */
};
/* No memory, or nothing is recorded: this acquisition and its release have no records. */
#define SPUR_NO_LOCK UINT32_MAX

/*
 * The lock was acquired once more. If necessary, moves the location's time to the time of the last
 * acquisition or release. Otherwise two processors' clocks, or a clock read a few instructions
 * early, could show two owners of a lock, or readers in another order than counted. Called by the
 * owner of the lock, after spur_tick(). O(1), thread-safe.
 */
struct spur_hold spur_lock_acquired(struct spur_loc *loc, const void *lock);
/* The lock is about to be released, at the location's time. After the record of the release. */
void spur_lock_released(const struct spur_loc *loc, const struct spur_hold *hold);
/*
 * The same for a release without a record: recording is off. The next acquisition may still have a
 * record, and must not find the lock held: the lock counts as another lock from now on.
 */
void spur_lock_lost(const struct spur_hold *hold);
/*
 * The same with the records. The first function is for a call that enters a region and releases a
 * lock at the time of the Enter. The second function is for a call that acquires a lock and leaves
 * its region now. `hold` is written before another call of this thread can be recorded.
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
 * The thread has recorded before, the calls of the thread are recorded now, and nothing is to be
 * done first. So a call that is only counted would have been recorded. *generation:
 * spur_generation().
 */
bool spur_is_steady(uint32_t *generation);
/*
 * A cell for the counts of an object, where finishing finds the counts if the process is killed.
 * The cell keeps its address, also in a child of fork(), where no file has the cell. NULL: there is
 * no room.
 */
struct spur_lock_cell *spur_lock_cell_new(void);
/* Number of the calling thread in the process; UINT32_MAX: the thread has not recorded. */
uint32_t spur_thread_number(void);

/* A thread has held a lock since a time; the call of the acquisition returns to `taken`. */
struct spur_holding {
    uint32_t lock;
    uint32_t thread;
    uint64_t since;
    const void *taken;
};
/* In a call of the location: records of the holding, at the location's time. */
void spur_put_holding(struct spur_loc *loc, const struct spur_holding *holding);

/* ---- libraries whose locks and threads are their own affair ---- */

/*
 * The library at this address: the library's calls of locks and threads are not recorded from now
 * on, like calls within a wrapped call. Takes a lock of the loader. Thread-safe. At most
 * SPUR_LOCKS_LEFT_OUT libraries are left out; more are ignored.
 */
enum { SPUR_LOCKS_LEFT_OUT = 8 };
void spur_locks_leave_out(const void *address);
/* Is the caller in a library that is left out? O(1), async-signal-safe. */
bool spur_locks_are_left_out(const void *caller);
/* `call` is called when the first library is left out. */
void spur_locks_at_left_out(void (*call)(void));

/* The library that has this address is an interpreter, whose locks are no script's. The same. */
void spur_locks_of_interpreter(const void *address);
bool spur_locks_are_interpreters(const void *caller);

#endif
