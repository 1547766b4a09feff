/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pthread_once() and call_once(): the routine is the program's, and what it calls is recorded. A
 * call after all is done is none: libraries make such at every turn, the C++ ones at each throw.
 */
#include <stdatomic.h>
#include <threads.h>

#include "wrappers/pthread/pthread_frame.h"
#include "wrappers/pthread/pthread_real.h"

typedef void (*once_routine)(void);

/* What the C library leaves there after the first call. */
static bool is_done(const int *control)
{
    enum { DONE = 2 };
    return __atomic_load_n(control, __ATOMIC_ACQUIRE) == DONE;
}

static struct spur_loc *once_enter(struct pthread_frame *frame, struct spur_callback *callback,
                                   const int *control, struct spur_caller caller)
{
    struct spur_loc *loc = NULL;
    if (!is_done(control) && pthread_mode_from(caller.address) >= PTHREAD_COUNTED)
        loc = pthread_frame_enter(frame, true, caller);
    if (!loc)
        return NULL;
    frame->callback = callback;
    spur_callback_begin(callback, loc, frame->call);
    pthread_shield_lower(frame, true);
    return loc;
}

static void once_leave(struct pthread_frame *frame)
{
    pthread_shield_raise(frame, true);
    struct spur_loc *loc = spur_callback_end(frame->callback);
    frame->callback = NULL;
    if (!loc) {
        pthread_frame_left(frame, true);
        return;
    }
    spur_tick(loc);
    pthread_frame_leave(frame, true);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved in the headers */
SPUR_EXPORT int pthread_once(pthread_once_t *control, once_routine routine)
{
    struct spur_callback callback;
    PTHREAD_FRAME(frame) = {.call = &pthread_calls[CALL_pthread_once].call};
    struct spur_loc *loc = once_enter(&frame, &callback, control, SPUR_CALLER);
    int ret = PTHREAD_REAL(pthread_once)(control, routine);
    if (loc)
        once_leave(&frame);
    return ret;
}

SPUR_EXPORT void call_once(once_flag *flag, once_routine routine)
{
    struct spur_callback callback;
    PTHREAD_FRAME(frame) = {.call = &pthread_calls[CALL_call_once].call};
    struct spur_loc *loc = once_enter(&frame, &callback, (const int *)flag, SPUR_CALLER);
    PTHREAD_REAL(call_once)(flag, routine);
    if (loc)
        once_leave(&frame);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
