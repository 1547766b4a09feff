/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A wrapped call that is being recorded. The call is left on every way out: also when a C++ error
 * handler throws through the call, or when the thread is cancelled inside MPI.
 */
#ifndef MPI_FRAME_H
#define MPI_FRAME_H

#include <errno.h>

#include "agent/spur_agent.h"
#include "agent/spur_polls.h"

struct mpi_frame {
    struct spur_loc *loc;
    struct spur_call *call;
    int error; /* errno of the real call, after its return */
    bool is_returned;
    bool is_timed;  /* the location's time is that of the Leave */
    bool is_poll;   /* left as a poll, see agent/spur_polls.h */
    bool is_nested; /* in a call that an outer frame leaves */
};

#define MPI_FRAME(name) struct mpi_frame name __attribute__((cleanup(mpi_frame_leave), unused))

static inline void mpi_frame_leave(struct mpi_frame *frame)
{
    if (!frame->loc)
        return;
    if (frame->is_returned)
        errno = frame->error;
    else
        spur_waits_over(frame->loc);
    if (frame->is_nested)
        return;
    if (frame->is_poll)
        spur_leave_poll(frame->loc, frame->call);
    else if (frame->is_timed)
        spur_leave(frame->loc, frame->call);
    else
        spur_leave_now(frame->loc, frame->call);
}

/* The real call has returned; the following records have the time of the Enter ... */
static inline void mpi_frame_returned(struct mpi_frame *frame)
{
    frame->error = errno;
    frame->is_returned = true;
}

/* ... and from here on at the time of the Leave. */
static inline void mpi_frame_tick(struct mpi_frame *frame)
{
    spur_tick(frame->loc);
    frame->is_timed = true;
}

/* At the time of the Leave, before anything is recorded there: the call is a poll. */
static inline void mpi_frame_polled(struct mpi_frame *frame, bool is_done)
{
    frame->is_poll = !frame->is_nested && spur_poll(frame->loc, NULL, is_done);
}

/* The function that wrote the records has also left the call. */
static inline void mpi_frame_left(struct mpi_frame *frame)
{
    errno = frame->error;
    frame->loc = NULL;
}

#endif
