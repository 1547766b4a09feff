/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts a thread in a process, and waits for what it does. */
#ifndef TOOLS_ATTACH_INJECT_H
#define TOOLS_ATTACH_INJECT_H

#include <stdbool.h>

#include "tools/attach/attach_target.h"

/*
 * Have the order begun, whose functions are filled in here, until the thread is ready or done.
 * NULL: it is, and lies at `*place` in the process. Else why it was not; the process is as before,
 * but for memory that was mapped.
 */
const char *inject(struct target *target, struct attach_order *order, uint64_t *place);

/* Let a thread that is ready go on. */
void inject_go(const struct target *target, uint64_t place);

/* NULL: it is done, and the answer is in the order. */
const char *inject_await(const struct target *target, uint64_t place, enum attach_state state,
                         struct attach_order *order);

#endif
