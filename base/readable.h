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

#endif
