/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions that a thread has entered by its own word, innermost last, recorded or not: a pause
 * may begin or end while they are open, and what was entered in it has no Leave. A frame that was
 * dropped (by longjmp(), say) goes when one around it is left.
 */
#ifndef WRAPPERS_KIT_WRAPPER_STACK_H
#define WRAPPERS_KIT_WRAPPER_STACK_H

#include "agent/spur_agent.h"

/* Once, at the start, for a family that is on; `user` and `compiler` need no such call. */
void wrapper_stack_take(enum spur_family family);

/*
 * Enter `region` of `family`, which is `key` for the leave. The caller does not hold the guard.
 * `find` is called with `key` and the guard up, when the region is recorded.
 */
void wrapper_stack_enter(enum spur_family family, void *key, OTF2_RegionRef (*find)(void *key));
/* Does nothing if the key is not open. NULL: all that the family has entered. */
void wrapper_stack_leave(enum spur_family family, const void *key);

#endif
