/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Descriptors out of reach of the program. All threads of a process share one table of descriptors.
 * Another thread may close a descriptor of the agent before the agent writes to it (close_range(),
 * the loops of daemons), and open a file under the same number. So code that opens a descriptor for
 * a moment runs apart: with the thread's signals blocked, and, where the process has further
 * threads, in a short thread of its own that has left the shared table.
 */
#ifndef SPUR_APART_H
#define SPUR_APART_H

#include <stdbool.h>

/*
 * call(data), and its result. The call closes every descriptor that the call opens. The call must
 * not ask for the thread's number (gettid) nor wait for a signal. Memory, locks and errno are the
 * caller's, and the caller waits. Calls within run as they are. Safe in signal handlers and in
 * children of fork() and vfork().
 */
int spur_apart(int (*call)(void *data), void *data);

/*
 * Code that runs apart has no effect on the program's files. In a process with several threads, the
 * short thread's table of descriptors contains copies of the lowest descriptors. At the end of the
 * table, several file systems, such as NFS, write the file of a copy back. False: a copied file may
 * be on a file system of this kind, or the kernel is older than Linux 5.9 and copies all
 * descriptors. errno is not kept.
 */
bool spur_apart_is_harmless(void);

/* The process has one thread, and never had more. False if unknown, as before glibc 2.32. */
bool spur_is_alone(void);

/*
 * The same for calls that take long: a process with one thread gets its signals meanwhile, and code
 * that opens descriptors within the call runs apart by itself.
 */
int spur_apart_long(int (*call)(void *data), void *data);

#endif
