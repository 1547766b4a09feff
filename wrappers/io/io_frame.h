/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A recorded call while it lasts, which lies on the wrapper's stack, and may have been made for a
 * call of a layer above (agent/spur_layer.h). Left also by unwinding.
 */
#ifndef IO_FRAME_H
#define IO_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/spur_agent.h"

struct io_frame {
    struct spur_loc *loc; /* NULL: not recorded, or over */
    struct spur_call *call;
    bool is_below;
};

/* Of a call that was not let in, though it is wanted. */
static inline void io_frame_below(struct io_frame *frame, struct spur_caller caller)
{
    frame->loc = spur_layer_enter(frame->call, caller);
    frame->is_below = frame->loc != NULL;
}

static inline void io_frame_above(struct io_frame *frame)
{
    frame->is_below = false;
    spur_layer_leave();
}

static inline void io_frame_end(struct io_frame *frame)
{
    if (frame->loc)
        spur_leave_now(frame->loc, frame->call);
    if (frame->is_below)
        io_frame_above(frame);
    frame->loc = NULL;
}

#endif
