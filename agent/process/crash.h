/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a process crashes. While a process records, the agent has a handler for the signals of
 * crashes, wherever the program has the default action in force. The handler notes the signal, the
 * thread and the thread's call stack in the segment (struct spur_crash). Then the handler sets the
 * default action, and sends the same signal with the same siginfo to the thread. The thread dies of
 * the signal when the thread goes on where it was interrupted. So status, core dump and the
 * registers in the core dump are those of a run without the agent. A handler of the program stays
 * in place: the agent notes the crash when that handler ends with the default action or with
 * abort().
 *
 * Three deaths happen at once and are not noted: SIGKILL, an overflow of a stack without an
 * alternate stack, a fault while its signal is blocked. Nor is a program noted whose own handler
 * calls _exit().
 */
#ifndef SPUR_CRASH_H
#define SPUR_CRASH_H

/* The process has begun to record. */
void spur_crash_arm(void);
/* The process makes no further system calls but the program's own. */
void spur_crash_disarm(void);

#endif
