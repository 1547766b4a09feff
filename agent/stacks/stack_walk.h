/* SPDX-License-Identifier: BSD-3-Clause */
/* Taking the calling thread's stack. */
#ifndef SPUR_STACK_WALK_H
#define SPUR_STACK_WALK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Open libunwind, or get ready to do without. False: neither is possible. Once, at the start of the
 * process.
 */
bool spur_walk_open(void);

/* An address in the code of libunwind, once opened; 0: libunwind is not at work. */
uintptr_t spur_walk_address(void);

/*
 * Return addresses, the innermost first, beginning in the caller of spur_walk(); at most `room`.
 * Zero if the stack cannot be followed. Not for signal handlers.
 */
uint32_t spur_walk(const void **address, uint32_t room);

/*
 * In a child of fork(): another thread of the parent may have been in libunwind, or have held the
 * lock of the loader that libunwind takes. The lock is then never given back. The slow unwinder
 * takes no lock.
 */
void spur_walk_after_fork(void);

#endif
