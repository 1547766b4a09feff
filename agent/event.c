/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot path: no lock, no system call but the clock, no allocation, no log. */
#include <errno.h>

#include "agent/clock.h"
#include "agent/definitions.h"
#include "agent/location.h"
#include "agent/open.h"
#include "agent/process.h"
#include "agent/spur_agent.h"
#include "writer/evt_inline.h"

/* REGION_OFF is the cached region of a call that is not to be recorded. */
enum { GENERATION_SHIFT = 24, REGION_OFF = (1 << GENERATION_SHIFT) - 2 };

static bool is_wanted(const struct spur_call *call)
{
    return (spur_process.paradigms >> call->paradigm & 1) && !(call->is_off && *call->is_off);
}

/* Region ids are cached in the call, stamped with the process they are valid in. */
static uint32_t region_define(struct spur_call *call)
{
    uint32_t region = is_wanted(call) ? spur_def_region(call) : REGION_OFF;
    if (region == OTF2_UNDEFINED_REGION)
        return region;
    uint32_t stamp = (spur_process.generation & 0xff) << GENERATION_SHIFT;
    if (region + 1 < 1u << GENERATION_SHIFT)
        atomic_store_explicit(&call->region, stamp | (region + 1), memory_order_relaxed);
    return region;
}

static inline uint32_t region_of(struct spur_call *call)
{
    uint32_t cached = atomic_load_explicit(&call->region, memory_order_relaxed);
    uint32_t stamp = (spur_process.generation & 0xff) << GENERATION_SHIFT;
    if (__builtin_expect((cached ^ stamp) - 1 < (1u << GENERATION_SHIFT) - 1, 1))
        return (cached & ((1u << GENERATION_SHIFT) - 1)) - 1;
    return region_define(call);
}

/* The processors' clocks may differ by less than anyone sees; the trace must not show even that. */
static inline void tick(struct spur_loc *loc)
{
    uint64_t now = spur_clock_now();
    loc->now = now > loc->now ? now : loc->now;
}

static inline bool is_written(struct spur_loc *loc, OTF2_ErrorCode error)
{
    if (__builtin_expect(error != OTF2_SUCCESS, 0))
        spur_loc_fail(loc, error);
    return error == OTF2_SUCCESS;
}

static inline bool put_enter(struct spur_loc *loc, uint32_t region)
{
    struct spur_slot *slot = loc->slot;
    if (!is_written(loc, otf2_evt_put_Enter(&slot->cursor, NULL, loc->now, region)))
        return false;
    uint32_t depth = slot->depth;
    if (depth < SPUR_SLOT_REGIONS)
        slot->region[depth] = region;
    else
        spur_open_note_deep(loc, depth, region);
    slot->depth = depth + 1;
    return true;
}

static struct spur_loc *enter_slowly(const struct spur_call *call)
{
    int saved = errno;
    struct spur_loc *loc = NULL;
    if (!is_wanted(call))
        return NULL;
    if (spur_state_now() == SPUR_ON || spur_process_open())
        loc = spur_loc_self();
    errno = saved;
    return loc;
}

/* False when it is up already, or there is nothing to guard. */
static inline bool raise_guard(struct spur_thread_state *self, uint32_t state)
{
    if (self->depth || state == SPUR_OFF || state == SPUR_UNBORN)
        return false;
    self->depth = 1;
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

struct spur_loc *spur_enter(struct spur_call *call)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (!raise_guard(self, state))
        return NULL;
    self->frame = __builtin_dwarf_cfa();
    struct spur_loc *loc = self->loc;
    if (__builtin_expect(!loc || state != SPUR_ON, 0))
        loc = enter_slowly(call);
    uint32_t region = loc ? region_of(call) : OTF2_UNDEFINED_REGION;
    bool entered = false;
    if (region < REGION_OFF && spur_loc_own(loc)) {
        tick(loc);
        entered = put_enter(loc, region);
        spur_loc_disown(loc);
    }
    if (__builtin_expect(entered, 1))
        return loc;
    atomic_signal_fence(memory_order_seq_cst);
    self->depth = 0;
    return NULL;
}

void spur_leave(struct spur_loc *loc, struct spur_call *call)
{
    if (spur_loc_own(loc)) {
        struct spur_slot *slot = loc->slot;
        uint32_t region = region_of(call);
        if (__builtin_expect(region < REGION_OFF, 1) &&
            is_written(loc, otf2_evt_put_Leave(&slot->cursor, NULL, loc->now, region)))
            slot->depth -= slot->depth > 0;
        spur_loc_disown(loc);
    }
    atomic_signal_fence(memory_order_seq_cst);
    spur_self.depth = 0;
}

/* ---- what is followed without a region ---- */

/* A location that is revoked from the start, so that nothing can be written to it. */
static _Thread_local struct spur_loc silent_loc = {.revoked = 1};

struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (!raise_guard(self, state))
        return NULL;
    self->frame = SPUR_NO_FRAME;
    int saved = errno;
    struct spur_loc *loc = NULL;
    if (spur_is_open() || spur_process_open())
        loc = is_recorded && spur_state_now() == SPUR_ON ? spur_loc_self() : &silent_loc;
    errno = saved;
    if (loc && loc != &silent_loc && region_of(call) < REGION_OFF)
        loc = &silent_loc; /* recording went on in between: too late for the Enter */
    if (loc == &silent_loc)
        return loc;
    if (loc) {
        tick(loc);
        return loc;
    }
    atomic_signal_fence(memory_order_seq_cst);
    self->depth = 0;
    return NULL;
}

bool spur_is_dropped(const struct spur_loc *loc)
{
    return atomic_load_explicit(&loc->revoked, memory_order_relaxed) != 0;
}

/* The record is put before recording goes off and after it goes on. */
void spur_recording(bool on)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (self->depth || state == SPUR_OFF || state == SPUR_UNBORN || on == (state != SPUR_PAUSED))
        return;
    int saved = errno;
    spur_inside_begin();
    if (on ? spur_process_pause(false) : state == SPUR_ON || spur_process_open()) {
        struct spur_loc *loc = spur_loc_self();
        if (loc) {
            tick(loc);
            spur_put_MeasurementOnOff(loc, on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
        }
        if (!on)
            (void)spur_process_pause(true);
    }
    spur_inside_end();
    errno = saved;
}

void spur_tick(struct spur_loc *loc)
{
    tick(loc);
}

void spur_inside_begin(void)
{
    if (spur_self.depth++ == 0)
        spur_self.frame = SPUR_NO_FRAME;
    atomic_signal_fence(memory_order_seq_cst);
}

void spur_inside_end(void)
{
    atomic_signal_fence(memory_order_seq_cst);
    spur_self.depth--;
}

bool spur_inside(void)
{
    return spur_self.depth != 0;
}

#define ARGUMENT(Row, kind, name) , name
#define EVENT(Name, NAME, id, major, minor, ...)                                                   \
    void spur_put_##Name(struct spur_loc *loc OTF2_SEQ(SPUR_PUT_PARAM_, Name, __VA_ARGS__))        \
    {                                                                                              \
        if (!spur_loc_own(loc))                                                                    \
            return;                                                                                \
        (void)is_written(loc,                                                                      \
                         otf2_evt_put_##Name(&loc->slot->cursor, NULL,                             \
                                             loc->now OTF2_SEQ(ARGUMENT, Name, __VA_ARGS__)));     \
        spur_loc_disown(loc);                                                                      \
    }
#include <otf2/otf2_events.def>
#undef EVENT
