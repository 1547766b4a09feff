/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling: a signal interrupts each recorded thread as it uses CPU time
 * (agent/sampling/sample_source.h), and its handler writes a CallingContextSample to the thread's
 * location.
 *
 * The rule that makes this safe wherever the signal comes. The handler runs with all signals
 * blocked, so that nothing interrupts it. It writes only if
 *   the thread is not within a record    its location is not busy;
 *   the thread holds no lock of ours     spur_locks_held is 0.
 * Then it may wait for locks of the agent. Another thread holds such a lock, and runs only agent
 * code until it gives the lock back. It waits for no lock of the program or the loader. If a signal
 * of ours comes to it, its handler finds that it holds a lock and returns at once. So every wait
 * ends. The handler takes no memory from the host's heap and never asks the loader or an unwinder
 * of the program.
 *
 * Otherwise the sample is written by the thread itself at its next record (spur_sample_settle).
 * That cannot be later than the end of the wrapped call in which it came, and it is told to be
 * within that call. What cannot be written is counted, and said in a property of the process.
 *
 * While a wrapped call is at work, in the real function, the depth guard is up but neither of the
 * two: such samples are written at once.
 */
#ifndef SPUR_SAMPLE_H
#define SPUR_SAMPLE_H

#include <signal.h>
#include <stdbool.h>

#include "agent/record/location.h"

/*
 * Frames of the stacks of wrapped calls: samples are below these. What is set, else with samples a
 * number that is enough for nearly all.
 */
uint32_t spur_sample_depth(void);

/* At the start of the process: take the signal, and sample the main thread. */
void spur_sample_start(void);

/*
 * Nothing is written in the main thread before it has a location, which the handler may not make:
 * where metrics are recorded with samples.
 */
bool spur_sample_needs_location(void);

/* A new location: a handler may write to it. */
void spur_sample_opened(struct spur_loc *loc);

/* The calling thread has a location from now on; idempotent. And: it is about to give it up. */
void spur_sample_thread(void);
void spur_sample_thread_end(void);

/*
 * The calling thread is sampled no longer, and what it was not told of yet is written: the kernel
 * looks at timers when its own ticks come, which may be never again. Idempotent.
 */
void spur_sample_catch_up(void);

/*
 * Write what the handler had to leave, of the time up to that: the location's records of the time
 * before are written.
 */
void spur_sample_settle(struct spur_loc *loc, uint64_t time);

/* When the files have been opened, and before the definitions are closed: the properties. */
void spur_sample_tell(void);
void spur_sample_tell_end(void);

/* In a child of fork(): timers are not inherited. */
void spur_sample_after_fork(void);

#endif
