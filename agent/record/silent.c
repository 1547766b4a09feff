/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that are followed without a region: not to be seen, or while recording is paused. */
#include <errno.h>

#include "agent/record/cached_region.h"
#include "agent/record/control.h"
#include "agent/record/event_ways.h"
#include "agent/record/fibre.h"
#include "agent/record/location.h"
#include "agent/spur_agent.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"

/* A location whose gate is shut from the start, so that nothing can be written to it. */
struct spur_slot spur_slot_nowhere;
static _Thread_local struct spur_loc silent_loc = {.gate = SPUR_GATE_SHUT,
                                                   .slot = &spur_slot_nowhere};

static struct spur_loc *stand(struct spur_call *call)
{
    int saved = errno;
    uint32_t region = spur_state_now() == SPUR_PAUSED ? spur_region_of(call) : REGION_OFF;
    if (region < REGION_OFF)
        spur_control_stands(&silent_loc, region);
    errno = saved;
    return &silent_loc;
}

struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (!spur_guard_raise(state, NULL))
        return NULL;
    self->frame = SPUR_NO_FRAME;
    int saved = errno;
    struct spur_loc *loc = NULL;
    if (spur_is_open() || spur_process_open())
        loc = is_recorded && spur_state_now() == SPUR_ON ? spur_loc_self() : &silent_loc;
    if (loc && loc != &silent_loc && spur_control_must_attend(loc) && !spur_control_attend(loc))
        loc = &silent_loc;
    errno = saved;
    if (loc && loc != &silent_loc && spur_region_of(call) < REGION_OFF)
        loc = &silent_loc; /* recording went on in between: too late for the Enter */
    if (loc == &silent_loc)
        return stand(call);
    if (loc) {
        tick(loc);
        return loc;
    }
    lower_guard();
    return NULL;
}

struct spur_loc *spur_within(void)
{
    struct spur_loc *loc = spur_self.loc;
    if (!*spur_guard_at(&spur_self) || spur_is_sharer())
        return NULL;
    if (!loc || spur_state_now() != SPUR_ON || spur_self.has_fibres)
        return &silent_loc;
    /* A signal handler may have come between: the record that it interrupted is to stay whole. */
    return atomic_load_explicit(&loc->busy, memory_order_relaxed) ? NULL : loc;
}

struct spur_loc *spur_stand(struct spur_call *call)
{
    return spur_state_now() == SPUR_PAUSED ? spur_follow(call, false) : NULL;
}

bool spur_is_dropped(const struct spur_loc *loc)
{
    return spur_loc_is_shut(loc);
}
