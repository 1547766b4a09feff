/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stacks by call frame information (agent/stacks/cfi.h): of what a signal handler has interrupted,
 * and of calls in places where no unwinder may be asked. Async-signal-safe by the rule of
 * agent/sampling/sample.h. Memory is copied, never trusted: a stack that is wrong ends early.
 */
#ifndef SPUR_CFI_WALK_H
#define SPUR_CFI_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

enum { SPUR_STACK_WINDOW = 4096 };

/* Memory that stays as long as the thread: its stack, from the deepest frame on. */
struct spur_stack_span {
    uintptr_t low, high;
};

/* A part of the stack, copied; one per thread, the caller's. */
struct spur_stack_window {
    struct spur_stack_span span; /* what is read as it is, without a copy */
    uintptr_t at;
    uint64_t bytes;
    char copy[SPUR_STACK_WINDOW];
};

/*
 * The frames, the innermost first, at most `room`: their return addresses, and of what a signal has
 * interrupted the address behind the instruction's first byte. *is_whole: the outermost is the
 * last. `context` is the ucontext_t of the handler.
 */
uint32_t spur_stack_walk(const void *context, struct spur_stack_window *window, const void **frame,
                         uint32_t room, bool *is_whole);

/*
 * The same from a frame of the calling thread on, which has not returned. window->span, which the
 * caller sets, may be empty.
 */
uint32_t spur_stack_walk_from(struct spur_frame from, struct spur_stack_window *window,
                              const void **frame, uint32_t room, bool *is_whole);

#endif
