/* SPDX-License-Identifier: BSD-3-Clause */
/* The beginning and the end of the process, as the files of this folder tell one another. */
#ifndef SPUR_PROCESS_H
#define SPUR_PROCESS_H

#include <stdbool.h>

/* The constructor's work, idempotent: settings, clock, state ARMED. */
void spur_process_start(void);

/* In a child of fork(): the end of the child has not begun. */
void spur_process_end_after_fork(void);

/* Run the calls of the families (spur_before_end()) before the end, or before an exec. */
void spur_process_parts(bool goes_on);

/* May the process note how it ends? Not for the parent whose memory a child has, nor after the
 * end. */
bool spur_process_may_say(void);
/* Before the end of the process, which this thread makes, only destructors of libraries still
 * run. */
void spur_process_begins_to_end(void);
/* Does another thread make the end of the process? And: is the end made? Async-signal-safe. */
bool spur_process_ends_elsewhere(void);
bool spur_process_is_done(void);

/* Are all further system calls those of the program itself? */
bool spur_process_is_sealed(void);

/* Nothing is recorded any more, although the process goes on; nor in the children of the
 * process. */
void spur_process_detach(void);
bool spur_process_is_over(void);

/* Judge the settings as the first record of the process would. False: there are complaints, and the
 * lines have been printed. */
bool spur_process_judge(void);

#endif
