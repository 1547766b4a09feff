/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/fibre.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/record/open.h"
#include "agent/segment/buffer.h"
#include "agent/state/event_clock.h"
#include "agent/state/state.h"
#include "base/own_stack.h"
#include "base/readable.h"

/*
 * The number of foreign calls that make a fibre sure. The holder's frame is noted one instruction
 * after the guard is raised: a handler right between the two sees another holder's frame, and calls
 * made by the handler may then seem to be calls of a fibre.
 */
enum { SURE = 16 };

bool spur_fibre_is_one_stack(const void *low, const void *high)
{
    enum { PAGE = 4096 };
    const char *at = low;
    while (at < (const char *)high && spur_is_readable(at))
        at += PAGE - (uintptr_t)at % PAGE;
    return at >= (const char *)high;
}

bool spur_fibre_is_aside(void)
{
    if (spur_is_on_own_stack())
        return true;
    stack_t stack;
    int saved = errno;
    bool is_on = syscall(SYS_sigaltstack, NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK;
    errno = saved;
    return is_on;
}

/*
 * Counts a call that is left out. Before there are files the count is remembered, and written with
 * the next record.
 */
static void count(void)
{
    struct spur_thread_state *self = &spur_self;
    struct spur_segment *segment = spur_buffer_segment();
    self->left_out++;
    if (!segment) {
        spur_fibre_owe(UINT32_MAX - 1);
        return;
    }
    atomic_fetch_add_explicit(&segment->fibre_calls, self->left_out, memory_order_relaxed);
    self->left_out = 0;
}

void spur_fibre_seen(void)
{
    struct spur_thread_state *self = &spur_self;
    self->has_fibres = true;
    if (self->loc)
        atomic_fetch_or(&self->loc->gate, SPUR_GATE_FIBRES);
    count();
}

/*
 * Several calls came from above the holder's frame. If the thread's alternate stack disarms itself,
 * the calls are a handler's: then nobody can see if a handler is on the alternate stack. The
 * suspicion is settled at the next call from elsewhere.
 */
static void suspect(struct spur_thread_state *self, const void *frame)
{
    self->suspect = frame;
    if (self->loc)
        atomic_fetch_or(&self->loc->gate, SPUR_GATE_FIBRES);
}

static void look_into(struct spur_thread_state *self)
{
    const uintptr_t near = 4096;
    stack_t stack = {.ss_flags = 0};
    if ((uintptr_t)self->frame - (uintptr_t)self->suspect + near < 2 * near)
        return;
    self->suspect = NULL;
    if (syscall(SYS_sigaltstack, NULL, &stack) == 0 && stack.ss_flags >= 0) /* no SS_AUTODISARM */
        spur_fibre_seen();
}

void spur_fibre_refused(const void *frame)
{
    struct spur_thread_state *self = &spur_self;
    int32_t *guard = spur_guard_at(self);
    spur_guard_give(guard);
    if (*guard > 0) {
        /* Somebody has lowered the guard here, after raising the guard on another thread. */
        (void)spur_guard_take(guard);
        spur_fibre_seen();
        return;
    }
    if (!frame || self->frame == SPUR_NO_FRAME || frame <= self->frame || spur_is_sharer())
        return;
    if (spur_fibre_is_aside())
        return;
    if (self->has_fibres)
        count();
    else if (++self->strangers == SURE)
        suspect(self, frame);
}

bool spur_guard_raise(uint32_t state, const void *frame)
{
    if (state == SPUR_OFF || state == SPUR_UNBORN)
        return false;
    if (state == SPUR_CHILD)
        spur_thread_forked();
    bool is_alone = spur_guard_take(spur_guard_at(&spur_self));
    if (!is_alone)
        spur_fibre_refused(frame);
    return is_alone;
}

void spur_fibre_owe(uint32_t depth)
{
    struct spur_thread_state *self = &spur_self;
    if (!self->owed || depth + 1 < self->owed)
        self->owed = depth + 1;
}

static void spur_fibre_pay_here(struct spur_loc *loc)
{
    if (spur_self.suspect)
        look_into(&spur_self);
    if (!spur_self.owed)
        return;
    uint32_t depth = spur_self.owed - 1;
    spur_self.owed = 0;
    if (spur_self.left_out) {
        spur_self.left_out--;
        count();
    }
    spur_fibre_end_to(loc, depth);
}
SPUR_DOOR_VOID(spur_fibre_pay, (struct spur_loc *, loc))

/*
 * Ends regions, one after another with a time each: values of metrics belong to the only Leave with
 * their time.
 */
void spur_fibre_end_to(struct spur_loc *loc, uint32_t depth)
{
    OTF2_ErrorCode error = OTF2_SUCCESS;
    while (loc->slot->depth > depth && !error) {
        spur_loc_move(loc, loc->now + 1);
        spur_loc_move(loc, spur_clock_now());
        error = spur_open_end_to(loc, loc->slot->depth - 1);
    }
    if (error)
        spur_loc_fail(loc, error);
}

bool spur_fibre_is_innermost(const struct spur_loc *loc, uint32_t region)
{
    uint32_t depth = loc->slot->depth;
    if (*spur_guard_at(&spur_self) >= 0 || !depth)
        return false;
    uint32_t word = spur_open_word(loc, depth - 1);
    return word == region || (word & SPUR_OPEN_CONTEXT) == SPUR_OPEN_CONTEXT;
}
