/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors that the program cannot reach. All threads of a process share one table: what one of
 * them opens, another one may close before it is written to (close_range(), the loops of daemons)
 * and have a file of its own under the number. So whatever opens a descriptor for a moment runs
 * apart: with the thread's signals blocked, and, where the process has other threads, in a short
 * thread of its own that has left the table behind.
 */
#ifndef SPUR_APART_H
#define SPUR_APART_H

#include <stdbool.h>

/*
 * call(data), and its result. What it opens it closes, and it must not ask which thread it is
 * (gettid) nor wait for a signal; memory, locks and errno are those of the caller, who waits. Calls
 * within run as they are. Safe in signal handlers and in children of fork() and vfork().
 */
int spur_apart(int (*call)(void *data), void *data);

/*
 * What runs apart has no effect on the program's files. In a process with other threads a table of
 * descriptors ends, with copies of the lowest ones; some file systems, as NFS, take that for a
 * reason to write a file back. False: one of these files may be on such a file system, or the
 * kernel is older than Linux 5.9 and copies all. errno is not kept.
 */
bool spur_apart_is_harmless(void);

/* The process has no other thread, and had none before. Not known, as before glibc 2.32: false. */
bool spur_is_alone(void);

/*
 * The same for what takes long: a process without other threads gets its signals meanwhile, and
 * what opens descriptors within runs apart by itself.
 */
int spur_apart_long(int (*call)(void *data), void *data);

#endif
