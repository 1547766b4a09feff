/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The signal of samples. The program can still use this signal: it reads back the action and the
 * masks that it set, and signals from others reach its handler. Only blocking the signal has no
 * effect.
 */
#ifndef SPUR_SAMPLE_SIGNAL_H
#define SPUR_SAMPLE_SIGNAL_H

#include <signal.h>
#include <stdbool.h>

/* Install the handler; false: it cannot be. */
bool spur_sample_take_signal(void (*handler)(int, siginfo_t *, void *));

/* Let it through to the calling thread, which goes on to believe what it did of its mask. */
void spur_sample_unblock(void);

/* In a child of fork(): another thread may have been setting an action. */
void spur_sample_signal_after_fork(void);

/* Within the handler: a signal that is not ours. */
void spur_sample_pass_on(int signal, siginfo_t *info, void *context);

#endif
