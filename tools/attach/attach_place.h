/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is a stopped thread at a place where it can be made to call pthread_create()? That function takes
 * memory and locks of the C library. The thread may hold these itself if it is inside the C
 * library, the loader, or a library that gives memory, or if a handler has interrupted it there.
 */
#ifndef TOOLS_ATTACH_ATTACH_PLACE_H
#define TOOLS_ATTACH_ATTACH_PLACE_H

#include <stdbool.h>

#include "tools/attach/attach_target.h"
#include "tools/attach/cpu.h"

/* In a call of the kernel that is known to wait? */
bool place_is_wait(const struct cpu_state *state);

/*
 * The system call that the thread is in; -1: none. The kernel begins some again as
 * restart_syscall(), for one stop after another: then it is the one that the code there makes, if
 * that says so.
 */
long place_call(const struct target *target, const struct cpu_state *state);

bool place_is_safe(const struct target *target, int tid, const struct cpu_state *state);

#endif
