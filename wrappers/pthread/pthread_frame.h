/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One wrapped call while the call lasts; lies on the stack of the wrapper. If the call is left by
 * unwinding (cancellation, pthread_exit(), an exception in C++), the region of the call is left as
 * well, before the handlers of the caller run. For longjmp(), wrappers/process leaves the region.
 */
#ifndef WRAPPERS_PTHREAD_FRAME_H
#define WRAPPERS_PTHREAD_FRAME_H

#include <pthread.h>

#include "agent/spur_agent.h"
#include "wrappers/pthread/pthread_mode.h"
#include "wrappers/pthread/pthread_real.h"

struct pthread_frame {
    struct spur_loc *loc; /* NULL: not recorded, or over */
    struct spur_call *call;
    const void *released;           /* lock given up for the time of the call, or NULL */
    const void *counted;            /* the same for a counted lock, and */
    const void *taken;              /* taken again at the return address of the call */
    struct spur_callback *callback; /* the real function runs code of the program, or NULL */
    bool is_robust;                 /* the released lock is a robust mutex */
    bool waits;                     /* the object of the wait was told */
    int cancel_type;                /* to be restored when the shield goes down */
};

/* The call was not left in order. */
void pthread_frame_unwound(struct pthread_frame *frame);

static inline void pthread_frame_end(struct pthread_frame *frame)
{
    if (__builtin_expect(frame->loc != NULL, 0))
        pthread_frame_unwound(frame);
}

#define PTHREAD_FRAME(name)                                                                        \
    struct pthread_frame name __attribute__((cleanup(pthread_frame_end), unused))

/*
 * The shield. Between raise and lower the agent works for a thread that is cancellable at any
 * instruction; the real function runs outside. `is_async` false: the thread cannot be cancellable
 * in this way. The shield sets the type and not the state of cancellation. With the state, a thread
 * cancelled meanwhile would make itself cancellable again, and the C library would end the thread
 * without the result PTHREAD_CANCELED (glibc 2.36).
 */
static inline void pthread_shield_raise(struct pthread_frame *frame, bool is_async)
{
    if (is_async && pthread_is_async)
        PTHREAD_REAL(pthread_setcanceltype)(PTHREAD_CANCEL_DEFERRED, &frame->cancel_type);
}

static inline void pthread_shield_lower(const struct pthread_frame *frame, bool is_async)
{
    if (is_async && pthread_is_async)
        PTHREAD_REAL(pthread_setcanceltype)(frame->cancel_type, NULL);
}

/* Enter the region of `call`. The shield is up afterwards unless the result is NULL. */
static inline struct spur_loc *pthread_frame_enter(struct pthread_frame *frame, bool is_async,
                                                   struct spur_caller caller)
{
    pthread_shield_raise(frame, is_async);
    struct spur_loc *loc = spur_enter_from(frame->call, caller);
    frame->loc = loc;
    if (!loc)
        pthread_shield_lower(frame, is_async);
    return loc;
}

/* The region was left; the shield is up before and down afterwards. */
static inline void pthread_frame_left(struct pthread_frame *frame, bool is_async)
{
    frame->loc = NULL;
    pthread_shield_lower(frame, is_async);
}

/* Leave the region, at the time of the last tick, and now. */
static inline void pthread_frame_leave(struct pthread_frame *frame, bool is_async)
{
    spur_leave(frame->loc, frame->call);
    pthread_frame_left(frame, is_async);
}

static inline void pthread_frame_leave_now(struct pthread_frame *frame, bool is_async)
{
    spur_leave_now(frame->loc, frame->call);
    pthread_frame_left(frame, is_async);
}

#endif
