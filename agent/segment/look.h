/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Looks at the process's use of the machine (session/usage.h): three system calls, about a
 * microsecond. Never at an event. No function waits or takes a lock; any thread may call all
 * functions at any time.
 */
#ifndef SPUR_LOOK_H
#define SPUR_LOOK_H

#include <stdbool.h>

/* The process begins to record. In a child of fork() the counts begin with the child. */
void spur_usage_begin(bool is_forked);

/* The calling thread, and the whole process. Without a segment nothing happens. */
void spur_usage_look(void);

/* The processors on which an ending thread may run: one system call. `tid` is the kernel's
 * number. */
void spur_usage_thread(int tid);

/*
 * The process ends; `ns` after its start. For a short process this is the only look. `is_whole`:
 * all threads have ended, so the processors on which the threads could run are known.
 */
void spur_usage_end(unsigned long long ns, bool is_whole);

#endif
