/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a process crashes. A handler for the signals of crashes is there while the process records,
 * wherever the program has the default action in force: it notes in the segment the signal, the
 * thread and its call stack (struct spur_crash). Then it sets the default action, and sends the
 * same signal with the same siginfo to its thread. The thread dies of it when it goes on where it
 * was interrupted. So status, core dump and the registers in it are those of a run without the
 * agent. A program that has a handler of its own is left with it, and comes here when that ends
 * with the default action or with abort().
 *
 * Not noted is what kills at once: SIGKILL, an overflow of a stack that has no alternate one, a
 * fault while its signal is blocked. Nor is a program whose own handler ends it by _exit().
 */
#ifndef SPUR_CRASH_H
#define SPUR_CRASH_H

/* The process has begun to record. */
void spur_crash_arm(void);
/* It makes no system call any more that is not the program's own. */
void spur_crash_disarm(void);

#endif
