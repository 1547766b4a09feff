/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions of process_calls.def: their regions, and those of the C library behind them. */
#ifndef WRAPPERS_PROCESS_REAL_H
#define WRAPPERS_PROCESS_REAL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "agent/spur_agent.h"

enum process_call_id {
#define PROCESS_CALL(type, name, ...) PROCESS_##name,
#define PROCESS_FORK(name) PROCESS_##name,
#define PROCESS_HAND(name) PROCESS_##name,
#include "wrappers/process/process_calls.def"
#undef PROCESS_HAND
#undef PROCESS_FORK
#undef PROCESS_CALL
    PROCESS_CALLS
};

typedef void (*process_function)(void);

struct process_call {
    struct spur_call call;
    _Atomic process_function real; /* NULL: not yet looked for */
};

extern struct process_call process_calls[PROCESS_CALLS];

/* The real function; one that fails with ENOSYS where the C library has none. */
process_function process_real(enum process_call_id id);
#define PROCESS_REAL(name) ((__typeof__(&name))process_real(PROCESS_##name))

/* A recorded call while it lasts; lies on the wrapper's stack. Left also by unwinding. */
struct process_frame {
    struct spur_loc *loc; /* NULL: not recorded, or over */
    struct spur_call *call;
};

static inline void process_frame_end(struct process_frame *frame)
{
    if (frame->loc)
        spur_leave_now(frame->loc, frame->call);
    frame->loc = NULL;
}

#define PROCESS_FRAME(frame, id, is_wanted)                                                        \
    struct process_frame frame __attribute__((cleanup(process_frame_end), unused)) = {             \
        (is_wanted) ? spur_enter(&process_calls[id].call) : NULL, &process_calls[id].call}

#endif
