/* SPDX-License-Identifier: BSD-3-Clause */
/* The stack of the calling thread, which needs no copy: a system call would take most of the time.
 */
#ifndef SPUR_OWN_SPAN_H
#define SPUR_OWN_SPAN_H

#include <stdint.h>

#include "agent/stacks/cfi_walk.h"

/* From an address in it to its high end; empty: that is not known. May read a file of /proc. */
struct spur_stack_span spur_stack_span_from(uintptr_t stack);

#endif
