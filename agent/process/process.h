/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of this room tell one another of the beginning and the end of the process. */
#ifndef SPUR_PROCESS_H
#define SPUR_PROCESS_H

#include <stdbool.h>

/* The constructor's work, idempotent: settings, clock, state ARMED. */
void spur_process_start(void);

/* In a child of fork(): its end has not begun. */
void spur_process_end_after_fork(void);

/* What families have said that they want to do before the end, or before an exec. */
void spur_process_parts(bool goes_on);

/* May it say something of its end? Not for the parent whose memory it has, nor after the end. */
bool spur_process_may_say(void);
/* Only the destructors of libraries come before its end, which this thread makes. */
void spur_process_begins_to_end(void);
/* Another thread makes its end; it is made. Async-signal-safe. */
bool spur_process_ends_elsewhere(void);
bool spur_process_is_done(void);

/* No system call is made any more that the program does not make itself. */
bool spur_process_is_sealed(void);

/* Nothing is recorded any more, although the process goes on; nor in its children. */
void spur_process_detach(void);
bool spur_process_is_over(void);

/* What would be complained of when something is recorded. False: there is something, and it is
 * said. */
bool spur_process_judge(void);

#endif
