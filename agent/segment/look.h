/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at what the process uses (session/usage.h): three system calls, about a microsecond. Never
 * at an event. None of these functions waits or takes a lock; any thread may call them at any time.
 */
#ifndef SPUR_LOOK_H
#define SPUR_LOOK_H

#include <stdbool.h>

/* The process begins to record. In a child of fork() the counts begin with the child. */
void spur_usage_begin(bool is_forked);

/* The calling thread, and the whole process. Without a segment nothing happens. */
void spur_usage_look(void);

/* Where that thread, which ends, may run: one system call. `tid` is the kernel's number. */
void spur_usage_thread(int tid);

/*
 * The process ends; `ns` after its start. Of one that was short this is one look. `is_whole`: all
 * threads have ended, so it is known where they could run.
 */
void spur_usage_end(unsigned long long ns, bool is_whole);

#endif
