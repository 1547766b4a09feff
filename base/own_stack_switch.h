/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Call a function on another stack, which ends at `top`, and come back. Debuggers and unwinders
 * find their way through it. Knows nothing of threads and signals: see base/own_stack.h.
 */
#ifndef SPUR_OWN_STACK_SWITCH_H
#define SPUR_OWN_STACK_SWITCH_H

void spur_own_stack_switch(void (*call)(void *arg), void *arg, void *top);
/* The same in C, for other machines; makes system calls and takes 2 KiB of the caller's stack. */
void spur_own_stack_switch_c(void (*call)(void *arg), void *arg, void *top);

#endif
