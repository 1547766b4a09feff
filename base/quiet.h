/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code of the agent without interruptions: between begin and end, which nest, the thread gets no
 * signal except the signals that an instruction raises. A handler may never return (it ends the
 * process, or the thread, or jumps away), may go on in a child, or stay for ever. No handler may
 * thereby leave a lock of the agent taken, or repeat an act that is to happen once. Signals that
 * come are handled at the end. System calls only; errno is kept. A sharer of a thread
 * (base/sharers.h) is interrupted as ever: the noted mask is the thread's.
 */
#ifndef SPUR_QUIET_H
#define SPUR_QUIET_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * Signals between begin and end are handled at the end: for work that no handler may leave by a
 * jump, or continue in a child that a handler makes. Nests.
 */
void spur_quiet_begin(void);
void spur_quiet_end(void);
/* In between: masks set now are not of the program's making. */
bool spur_is_quiet(void);
/*
 * True: a thread that is created in between is quiet as well, until the new thread has called
 * spur_quiet_born(), with the mask, and then spur_quiet_end(). Signals blocked by the creator are
 * blocked in the new thread.
 */
bool spur_quiet_mask(uint64_t *mask);
void spur_quiet_born(uint64_t mask);

/* Signals 1 to 64 of a set, as the kernel has sets. */
static inline uint64_t spur_signal_word(const sigset_t *set)
{
    uint64_t word;
    memcpy(&word, set, sizeof word);
    return word;
}

static inline void spur_signal_set_word(sigset_t *set, uint64_t word)
{
    memcpy(set, &word, sizeof word);
}

/* As the kernel has sets. The kernel kills a thread that blocks the remaining signals when an
 * instruction raises them. */
#define SPUR_SIGNAL_BIT(signal) (UINT64_C(1) << ((signal)-1))
#define SPUR_QUIET_SIGNALS                                                                         \
    (~(SPUR_SIGNAL_BIT(SIGSEGV) | SPUR_SIGNAL_BIT(SIGBUS) | SPUR_SIGNAL_BIT(SIGILL) |              \
       SPUR_SIGNAL_BIT(SIGFPE) | SPUR_SIGNAL_BIT(SIGTRAP) | SPUR_SIGNAL_BIT(SIGSYS)))

/* The same, but for the signals `let_through`, which end the process without a handler: for work
 * that may take long. */
void spur_quiet_begin_but(uint64_t let_through);

/*
 * Change the mask that the thread has outside of quiet parts, as sigprocmask(2): SIG_BLOCK or
 * SIG_UNBLOCK. A change made inside may be undone outside, and the reverse. Returns the mask
 * before.
 */
uint64_t spur_quiet_change(int how, uint64_t set);

/* In a child of fork() that a sharer has made: the thread may have been quiet, the child is not. */
void spur_quiet_forget(void);

/* System calls are forbidden from now on. */
void spur_quiet_seal(void);

#endif
