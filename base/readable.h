/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a word be read there? The kernel reads what is to be blocked before it looks whether it knows
 * how: nothing changes, no descriptor is needed, and no filter of system calls forbids it.
 */
#ifndef SPUR_READABLE_H
#define SPUR_READABLE_H

#include <stdbool.h>
#include <stddef.h>

bool spur_is_readable(const void *address);

/*
 * Memory that may be gone, or that another thread may just take away: how many bytes of it were
 * copied. Async-signal-safe; keeps errno. A filter of system calls may forbid it: then none are.
 */
size_t spur_read_memory(const void *from, void *to, size_t bytes);

/*
 * The same of several pieces, by one system call; the first that is not there ends it. `pid` is
 * this process.
 */
struct iovec;
size_t spur_read_pieces(int pid, const struct iovec *from, size_t pieces, void *to, size_t bytes);

#endif
