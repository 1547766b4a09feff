/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a stopped thread at a place where the thread can be made to call pthread_create()?
 * pthread_create() takes memory and locks of the C library. The thread may hold these locks already
 * if the thread is inside the C library, the loader, or a memory allocator, or if a signal handler
 * has interrupted the thread there.
 */
#ifndef TOOLS_ATTACH_ATTACH_PLACE_H
#define TOOLS_ATTACH_ATTACH_PLACE_H

#include <stdbool.h>

#include "tools/attach/attach_target.h"
#include "tools/attach/cpu.h"

/* Is the thread in a system call that is known to wait? */
bool place_is_wait(const struct cpu_state *state);

/*
 * The system call of the thread; -1: no call. After a stop the kernel continues some system calls
 * as restart_syscall(). For restart_syscall() the number comes from the code at the program
 * counter, if the code contains the number.
 */
long place_call(const struct target *target, const struct cpu_state *state);

bool place_is_safe(const struct target *target, int tid, const struct cpu_state *state);

#endif
