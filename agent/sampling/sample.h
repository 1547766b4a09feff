/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sampling: a signal interrupts each recorded thread as the thread uses CPU time
 * (agent/sampling/sample_source.h), and the handler writes a CallingContextSample to the thread's
 * location.
 *
 * The rule for safety wherever the signal comes: the handler runs with all signals blocked, so that
 * nothing interrupts the handler. The handler writes only if
 *   the thread is not within a record    its location is not busy;
 *   the thread holds no lock of ours     spur_locks_held is 0.
 * Then the handler may wait for locks of the agent. The thread with the lock runs only agent code
 * until the thread gives the lock back, and waits for no lock of the program or the loader. A
 * sampling signal in that thread finds the lock held, and its handler returns at once. So every
 * wait ends. The handler takes no memory from the host's heap and never asks the loader or an
 * unwinder of the program.
 *
 * Otherwise the thread itself writes the sample at the thread's next record (spur_sample_settle).
 * The next record comes at the latest at the end of the interrupted wrapped call, and the sample
 * counts as within the call. Samples that cannot be written are counted in a property of the
 * process.
 *
 * While a wrapped call is at work, in the real function, the depth guard is up, but the location is
 * not busy and no lock is held: such samples are written at once.
 */
#ifndef SPUR_SAMPLE_H
#define SPUR_SAMPLE_H

#include <signal.h>
#include <stdbool.h>

#include "agent/record/location.h"

/*
 * Frames of the stacks of wrapped calls: samples are below these frames. The value of the setting,
 * else with samples a number large enough for nearly all stacks.
 */
uint32_t spur_sample_depth(void);

/* At the start of the process: take the signal, and sample the main thread. */
void spur_sample_start(void);

/*
 * Does the main thread need a location first? Before, nothing is written; the handler may not make
 * a location. True where metrics are recorded with samples.
 */
bool spur_sample_needs_location(void);

/* A new location: a handler may write to it. */
void spur_sample_opened(struct spur_loc *loc);

/* The calling thread has a location from now on; idempotent. And: the thread will soon give the
 * location up. */
void spur_sample_thread(void);
void spur_sample_thread_end(void);

/*
 * The calling thread is sampled no longer, and samples of its CPU time so far are written: the
 * kernel looks at timers at its own ticks, and the next tick may never come. Idempotent.
 */
void spur_sample_catch_up(void);

/*
 * Write the samples that the handler left, of the time before `time`: the location's records of the
 * time before are written.
 */
void spur_sample_settle(struct spur_loc *loc, uint64_t time);

/* When the files have been opened, and before the definitions are closed: the properties. */
void spur_sample_tell(void);
void spur_sample_tell_end(void);

/* In a child of fork(): timers are not inherited. */
void spur_sample_after_fork(void);

#endif
