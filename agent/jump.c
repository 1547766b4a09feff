/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrapped calls that longjmp() drops: a signal handler jumps out of the real function, or code of
 * the program out of a callback. What raised the guard is known by where its part of the stack
 * ends; it is gone if the thread goes on above that. One guard is up at a time, with callbacks
 * below it, innermost first.
 */
#include <errno.h>

#include "agent/clock.h"
#include "agent/location.h"
#include "agent/open.h"
#include "agent/process.h"
#include "agent/spur_agent.h"

void spur_callback_begin(struct spur_callback *callback, struct spur_loc *loc,
                         struct spur_call *call)
{
    struct spur_thread_state *self = &spur_self;
    *callback = (struct spur_callback){.loc = loc,
                                       .call = call,
                                       .frame = self->frame,
                                       .outer = self->callback};
    self->callback = callback;
    spur_inside_end();
}

/* Callbacks within this one may have been left without a word. */
void spur_callback_end(struct spur_callback *callback)
{
    spur_inside_begin();
    spur_self.frame = callback->frame;
    spur_self.callback = callback->outer;
}

bool spur_jump_matters(void)
{
    const struct spur_thread_state *self = &spur_self;
    return self->callback || (self->depth && self->frame != SPUR_NO_FRAME);
}

/* The innermost region is that of the call that raised the guard. */
static void leave_innermost(struct spur_loc *loc)
{
    if (!spur_loc_own(loc))
        return;
    spur_loc_move(loc, spur_clock_now());
    uint32_t depth = loc->slot->depth;
    OTF2_ErrorCode error = spur_open_end_to(loc, depth - (depth > 0));
    if (error != OTF2_SUCCESS)
        spur_loc_fail(loc, error);
    spur_loc_disown(loc);
}

/*
 * A record, or the writing of a full buffer, was cut short: what this thread has recorded up to now
 * is right, what it would record next may not be. Whoever finishes the archive goes on from there.
 */
static void give_up(struct spur_loc *loc)
{
    loc->closed = true;
    spur_loc_shut(loc);
    spur_loc_disown(loc);
}

static void leave_guarded(struct spur_thread_state *self)
{
    struct spur_loc *loc = self->loc;
    if (loc && self->generation == spur_process.generation) {
        if (atomic_load_explicit(&loc->busy, memory_order_relaxed))
            give_up(loc);
        else
            leave_innermost(loc);
    }
    atomic_signal_fence(memory_order_seq_cst);
    self->depth = 0;
}

void spur_jump(const void *stack)
{
    struct spur_thread_state *self = &spur_self;
    int saved = errno;
    while (spur_jump_matters()) {
        if (self->depth) {
            if (self->frame > stack)
                break;
            leave_guarded(self);
            continue;
        }
        struct spur_callback *callback = self->callback;
        if (callback->frame > stack)
            break;
        spur_callback_end(callback);
        spur_tick(callback->loc);
        spur_leave(callback->loc, callback->call);
    }
    errno = saved;
}
