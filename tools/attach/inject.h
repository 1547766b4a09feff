/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts a thread in a process, and waits for what it has done. */
#ifndef TOOLS_ATTACH_INJECT_H
#define TOOLS_ATTACH_INJECT_H

#include <stdbool.h>

#include "tools/attach/attach_target.h"

/*
 * Carry out the order, whose functions are filled in here. NULL: done, and order->answer has the
 * answer. Else why it was not; the process is as before, but for memory that was mapped.
 */
const char *inject(struct target *target, struct attach_order *order);

#endif
