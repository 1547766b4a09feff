/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Wrapped calls dropped by longjmp(): a signal handler jumps out of the real function, or code of
 * the program jumps out of a callback. The end of the guard holder's part of the stack identifies
 * the holder: the holder is gone if the thread goes on above that end. One guard is up at a time,
 * with callbacks below the guard's call, innermost last. Frames below the caller belong to another
 * stack (agent/record/fibre.h).
 */
#include <errno.h>

#include "agent/record/event_ways.h"
#include "agent/record/fibre.h"
#include "agent/record/hooks.h"
#include "agent/record/location.h"
#include "agent/record/open.h"
#include "agent/spur_agent.h"
#include "agent/spur_layer.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "finish/events/finish_open.h"
#include "finish/state/finish_chunk.h"

/* The index of a callback in the list; the list's length if the callback is not in the list. */
static uint32_t place_of(const struct spur_callback *callback)
{
    uint32_t i = 0;
    while (i < spur_self.callbacks && spur_self.callback[i].at != callback)
        i++;
    return i;
}

bool spur_callback_is_open(const struct spur_callback *callback)
{
    return place_of(callback) < spur_self.callbacks;
}

/* Begins a callback. An earlier callback at this address has been left unnoticed. */
bool spur_callback_try(struct spur_callback *callback, struct spur_loc *loc, struct spur_call *call)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t depth = loc->slot->depth;
    self->callbacks = place_of(callback);
    *callback = (struct spur_callback){.loc = loc};
    if (self->has_fibres || self->callbacks == SPUR_CALLBACKS || !depth)
        return false;
    callback->is_open = true;
    self->callback[self->callbacks++] =
        (struct spur_open_callback){.at = callback,
                                    .call = call,
                                    .frame = self->frame,
                                    .depth = depth,
                                    .word = spur_open_word(loc, depth - 1)};
    if (spur_loc_has_places(loc) && spur_loc_own(loc)) {
        spur_hooks.placed(loc, depth - 1, spur_open_word(loc, depth - 1), false);
        spur_loc_disown(loc);
    }
    spur_guard_give(spur_guard_at(self));
    return true;
}

/*
 * If nobody could notice the leaving of the callback, the region of the call ends before the
 * routine begins: the guard is never up in code of the program.
 */
void spur_callback_begin(struct spur_callback *callback, struct spur_loc *loc,
                         struct spur_call *call)
{
    if (!spur_callback_try(callback, loc, call))
        spur_leave_now(loc, call);
}

/*
 * The guard is up again for the callback's call: is the call's region open, and the innermost
 * region?
 */
static bool regain(struct spur_loc *loc, const struct spur_open_callback *callback)
{
    spur_self.frame = callback->frame;
    uint32_t depth = callback->depth;
    if (loc->slot->depth < depth || spur_open_word(loc, depth - 1) != callback->word)
        return false;
    if (spur_loc_has_places(loc))
        spur_hooks.unplaced(loc, depth - 1);
    if (loc->slot->depth == depth || !spur_loc_own(loc))
        return true;
    spur_fibre_end_to(loc, depth);
    spur_loc_disown(loc);
    return true;
}

/* Callbacks within this callback may have been left unnoticed. */
struct spur_loc *spur_callback_end(struct spur_callback *callback)
{
    struct spur_thread_state *self = &spur_self;
    struct spur_loc *loc = callback->loc;
    if (!callback->is_open)
        return NULL;
    uint32_t i = place_of(callback);
    bool is_there = i < self->callbacks && loc == self->loc;
    bool is_alone = spur_guard_take(spur_guard_at(self));
    if (is_there) {
        self->callbacks = i;
        if (is_alone && regain(loc, &self->callback[i]))
            return loc;
        if (!is_alone)
            spur_fibre_owe(self->callback[i].depth - 1);
    }
    spur_guard_give(spur_guard_at(self));
    if (self->loc && self->generation == spur_process.generation)
        spur_fibre_seen();
    return NULL;
}

void spur_fork_begin(struct spur_callback *callback, struct spur_loc *loc, struct spur_call *call)
{
    (void)spur_callback_try(callback, loc, call);
}

void spur_fork_forget(const struct spur_callback *callback)
{
    spur_self.callbacks = place_of(callback);
}

/*
 * A handler has come between the two last stores of a record. After the two stores nothing is left
 * to be done.
 */
static void let_go(const struct spur_thread_state *self)
{
    if (self->loc && !*spur_guard_at(&spur_self) &&
        atomic_load_explicit(&self->loc->busy, memory_order_relaxed))
        spur_loc_disown(self->loc);
}

bool spur_jump_matters(void)
{
    struct spur_thread_state *self = &spur_self;
    bool matters = self->callbacks || (*spur_guard_at(self) && self->frame != SPUR_NO_FRAME);
    let_go(self);
    return matters && !spur_is_sharer();
}

/* Leaves the innermost region, the region of the call that raised the guard. */
static void leave_innermost(struct spur_loc *loc)
{
    if (!spur_loc_own(loc))
        return;
    OTF2_ErrorCode error = spur_loc_put_created(loc, true);
    spur_loc_move(loc, spur_clock_now());
    uint32_t depth = loc->slot->depth;
    if (error == OTF2_SUCCESS)
        error = spur_open_end_to(loc, depth - (depth > 0));
    if (error != OTF2_SUCCESS)
        spur_loc_fail(loc, error);
    spur_loc_disown(loc);
}

/*
 * A record, or the writing of a full buffer, was cut short: the records of this thread so far are
 * right, further records may be wrong. Finishing continues from there.
 */
static void give_up(struct spur_loc *loc)
{
    loc->closed = true;
    spur_loc_shut(loc);
    spur_loc_disown(loc);
}

/*
 * A record was cut short, and its thread ends: the whole records count, as for a killed process.
 * False: the thread was moving on to another chunk.
 */
static bool mend(struct spur_loc *loc)
{
    struct spur_slot *slot = loc->slot;
    struct otf2_evt_cursor *cursor = &slot->cursor;
    const uint64_t used = cursor->pos ? (uint64_t)(cursor->pos - cursor->chunk) : 0;
    struct finish_chunk chunk;
    if (!slot->chunks || !cursor->pos || !finish_chunk_scan(cursor->chunk, used, &chunk))
        return false;
    cursor->pos = cursor->chunk + chunk.used; /* the time of the cut record follows */
    cursor->events = chunk.first - 1 + chunk.events;
    cursor->time = chunk.time_last;
    struct finish_open open = {slot->region,
                               slot->chunk_depth[(slot->oldest + slot->chunks - 1) % slot->chunks]};
    finish_open_follow(&open, cursor->chunk, used);
    slot->depth = open.depth;
    spur_loc_disown(loc);
    return true;
}

static void settle(struct spur_loc *loc)
{
    if (atomic_load_explicit(&loc->busy, memory_order_relaxed) && !mend(loc))
        give_up(loc);
}

/* Has the last record ended a region? */
static bool has_just_left(const struct spur_loc *loc)
{
    const struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    struct finish_chunk chunk;
    return cursor->pos &&
           finish_chunk_scan(cursor->chunk, (uint64_t)(cursor->pos - cursor->chunk), &chunk) &&
           chunk.closes;
}

/*
 * Does the call unwind? A region in a calling context is not known by its word, and no call is
 * recorded within another call.
 */
bool spur_unwinds(struct spur_loc *loc, struct spur_call *call)
{
    settle(loc);
    const uint32_t depth = loc->closed ? 0 : loc->slot->depth;
    const uint32_t word = depth ? spur_open_word(loc, depth - 1) : SPUR_NOT_OPEN;
    const bool is_open = (word & SPUR_OPEN_CONTEXT) == SPUR_OPEN_CONTEXT
                             ? word != SPUR_NOT_OPEN && !has_just_left(loc)
                             : word == spur_region_of(call);
    if (!is_open)
        spur_guard_give(spur_guard_at(&spur_self));
    return is_open;
}

/*
 * Has the thread left a wrapped call? A fibre inside of a call may go on in another thread; the
 * fibre's stack is not this stack.
 */
bool spur_thread_is_left(struct spur_loc *loc)
{
    const void *here = __builtin_frame_address(0), *frame = spur_self.frame;
    const bool is_inside = *spur_guard_at(&spur_self) < -1;
    if (is_inside &&
        (frame == SPUR_NO_FRAME ||
         !spur_fibre_is_one_stack(frame < here ? frame : here, frame < here ? here : frame)))
        return false;
    settle(loc);
    return true;
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
    if (loc)
        atomic_fetch_or(&loc->gate, SPUR_GATE_FIBRES); /* perhaps a change of stacks */
    spur_layer_end();
    atomic_signal_fence(memory_order_seq_cst);
    *spur_guard_at(self) = 0;
}

static void leave_callback(struct spur_thread_state *self)
{
    const struct spur_open_callback callback = self->callback[--self->callbacks];
    struct spur_loc *loc = self->loc;
    spur_layer_end();
    if (!loc || !spur_guard_take(spur_guard_at(self)) || !regain(loc, &callback)) {
        *spur_guard_at(self) = 0;
        return;
    }
    spur_tick(loc);
    spur_leave(loc, callback.call);
}

/*
 * Is the frame dropped? Among fibres that jump from one to another, the comparison holds only where
 * all frames are on the same stack.
 */
static bool is_dropped(const void *frame, const void *stack)
{
    const void *here = __builtin_frame_address(0);
    if (frame > stack || (frame < here && !spur_fibre_is_aside()))
        return false;
    return !spur_self.has_fibres || spur_fibre_is_one_stack(frame >= here ? here : frame, stack);
}

void spur_jump(const void *stack)
{
    struct spur_thread_state *self = &spur_self;
    int saved = errno;
    while (spur_jump_matters()) {
        bool is_guarded = *spur_guard_at(self) != 0;
        const void *frame = is_guarded ? self->frame : self->callback[self->callbacks - 1].frame;
        if (!is_dropped(frame, stack))
            break;
        if (is_guarded)
            leave_guarded(self);
        else
            leave_callback(self);
    }
    errno = saved;
}
