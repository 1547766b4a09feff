/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of libexec/spur that finishing runs, out of a traced program as well. */
#ifndef SPUR_FINISH_HELPER_H
#define SPUR_FINISH_HELPER_H

/*
 * Run the program `name` with `in` and `out` as standard input and output, and wait for its end. 0,
 * or -errno: the program could not be started (-ENOENT: no such program), or -EIO: the program has
 * ended badly.
 *
 * The calling process may be a traced program at its end. The helper is a child without SIGCHLD,
 * hidden from every wait() of the host. The helper is not traced, and has only LD_LIBRARY_PATH as
 * environment. The memory of the host is neither copied nor touched.
 */
int spur_helper_run(const char *name, int in, int out);

#include <stddef.h>

/*
 * Keep the present value of LD_LIBRARY_PATH for all later helpers, in a copy made by `keep`: a
 * process at its end may be changing its environment in another thread, or under a signal handler.
 */
void spur_helper_keep(const char *(*keep)(const char *text));

/* The path of the program: 0 or -ENOENT. */
int spur_helper_find(const char *name, char *path, size_t size);

#endif
