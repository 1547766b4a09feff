/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Can a word be read there? The kernel reads what is to be blocked before it looks whether it knows
 * how: nothing changes, no descriptor is needed, and no filter of system calls forbids it.
 */
#ifndef SPUR_READABLE_H
#define SPUR_READABLE_H

#include <stdbool.h>

bool spur_is_readable(const void *address);

#endif
