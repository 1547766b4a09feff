/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of libexec/spur that finishing runs, out of a traced program as well. */
#ifndef SPUR_FINISH_HELPER_H
#define SPUR_FINISH_HELPER_H

/*
 * Run the program `name` with `in` and `out` as standard input and output, and wait for it. 0, or
 * -errno: it could not be started (-ENOENT: it is not there), or -EIO: it has ended badly.
 *
 * The calling process may be a traced program at its end. The program is a child that sends no
 * SIGCHLD and that no wait() of the host finds; it is not traced, and of the environment it has
 * LD_LIBRARY_PATH alone. The memory of the host is neither copied nor touched.
 */
int spur_helper_run(const char *name, int in, int out);

#include <stddef.h>

/*
 * From now on LD_LIBRARY_PATH is what it is now, a copy that `keep` makes: a process at its end may
 * be changing its environment in another thread, or under a signal handler.
 */
void spur_helper_keep(const char *(*keep)(const char *text));

/* Where that program is: 0 or -ENOENT. */
int spur_helper_find(const char *name, char *path, size_t size);

#endif
