/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that ask whether a device is done: many in a row are one region (agent/spur_polls.h). */
#ifndef WRAPPERS_DEVICE_POLL_H
#define WRAPPERS_DEVICE_POLL_H

#include "agent/spur_polls.h"
#include "wrappers/kit/wrapper.h"

/*
 * The real call has returned. True: the call is left as one of a row. False: the call is to be left
 * as any.
 */
static inline bool device_leave_poll(struct spur_loc *loc, struct spur_call *call, bool is_done)
{
    spur_tick(loc);
    if (!spur_poll(loc, NULL, is_done))
        return false;
    spur_leave_poll(loc, call);
    return true;
}

static inline void device_frame_poll(struct wrapper_frame *frame, bool is_done)
{
    if (frame->loc && device_leave_poll(frame->loc, frame->call, is_done))
        frame->loc = NULL;
}

#endif
