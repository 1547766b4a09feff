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

/* The call was left without a return: a C++ exception, or the thread is cancelled. `call` is NULL
 * for a nested call. */
void mpi_frame_unwound(struct spur_loc *loc, struct spur_call *call);

/* Always inline: then a frame is no memory, and what a wrapper knows of its frame is decided by the
 * compiler. */
static inline __attribute__((always_inline)) void mpi_frame_leave(struct mpi_frame *frame)
{
    if (!frame->loc)
        return;
    if (!frame->is_returned) {
        mpi_frame_unwound(frame->loc, frame->is_nested ? NULL : frame->call);
        return;
    }
    errno = frame->error;
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

/* The remaining work of the hooks of a call without records, see HOOKS_x in mpi_meanings.h. */
enum mpi_keeps {
    MPI_KEEPS_NOTHING,
    MPI_KEEPS_COUNTS,
    MPI_KEEPS_BOOKS,
    MPI_KEEPS_RECORDS,
    MPI_KEEPS_ENDS
};

/*
 * For a call that spur_enter() has refused: the location where hooks of the meaning put their
 * records, or NULL if the call has no remaining work.
 */
struct mpi_followed {
    struct spur_loc *loc;
    bool is_nested;
};
struct mpi_followed mpi_frame_follow(struct spur_call *call, enum mpi_keeps keeps);

/* A call that goes to the library as it is, in its region if `loc` is not NULL. */
struct mpi_passed {
    struct spur_loc *loc;
    struct spur_call *call;
};
#define MPI_PASSED(name)                                                                           \
    const struct mpi_passed name __attribute__((cleanup(mpi_passed_end), unused))
struct mpi_passed mpi_passed_begin(struct spur_loc *loc, struct spur_call *call);
void mpi_passed_end(const struct mpi_passed *passed);

#endif
