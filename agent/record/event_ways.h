/* SPDX-License-Identifier: BSD-3-Clause */
/* What the short and the long ways of agent/record/event.c have in common. */
#ifndef SPUR_EVENT_WAYS_H
#define SPUR_EVENT_WAYS_H

#include "agent/record/hooks.h"
#include "agent/record/location.h"
#include "agent/state/event_clock.h"
#include "format/attributes.h"
#include "writer/evt_inline.h"

static inline bool is_written(struct spur_loc *loc, OTF2_ErrorCode error)
{
    if (__builtin_expect(error != OTF2_SUCCESS, 0))
        spur_loc_fail(loc, error);
    return error == OTF2_SUCCESS;
}

/*
 * What a record is given, in `entry`, which has room for `n`: attributes that could be defined.
 */
static inline OTF2_AttributeList list_of(struct otf2_attribute *entry, uint32_t n,
                                         const struct spur_attribute *attribute)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < n; i++)
        if (attribute[i].id != OTF2_UNDEFINED_ATTRIBUTE)
            entry[given++] =
                (struct otf2_attribute){attribute[i].id, attribute[i].type, attribute[i].value};
    return (OTF2_AttributeList){.n = given, .capacity = n, .entries = entry};
}

/* The clock, which has been looked at if the location has recorded nothing for a while. */
static inline uint64_t clock_for(struct spur_loc *loc)
{
    uint64_t now = spur_clock_now();
    if (__builtin_expect(now + SPUR_CLOCK_STEP < loc->now, 0))
        now = spur_clock_went_back(loc, now);
    if (now - loc->now > OTF2_EVT_PAUSE && now > loc->now)
        now = spur_clock_look(now, loc->now);
    return now;
}

/* The processors' clocks may differ by less than anyone sees; the trace must not show even that. */
static inline void tick(struct spur_loc *loc)
{
    uint64_t now = clock_for(loc);
    spur_samples_settle(loc, now);
    spur_loc_move(loc, now);
}

/* From REGION_OFF on: it is not to be recorded, or cannot be. */
uint32_t spur_region_of(struct spur_call *call);

static inline void note_leave(struct spur_slot *slot)
{
    slot->depth -= slot->depth > 0;
}

/* Where the records of a location ended once. */
struct records_end {
    uint8_t *pos;
    uint64_t events;
    OTF2_TimeStamp time;
};

/*
 * Takes the records behind that place back. For a reader the rest of the cursor may be ahead of
 * `pos`, and not behind.
 */
static inline void take_back(struct spur_slot *slot, struct records_end to)
{
    atomic_fetch_add_explicit(&slot->taken_back, 1, memory_order_seq_cst);
    __atomic_store_n(&slot->cursor.pos, to.pos, __ATOMIC_RELEASE);
    atomic_thread_fence(memory_order_seq_cst);
    slot->cursor.events = to.events;
    slot->cursor.time = to.time;
}

static inline void lower_guard(void)
{
    spur_guard_give(spur_guard_at(&spur_self));
}

/*
 * The records up to the Leave have been filled in; `p` is their end and `now` their last time. The
 * guard is lowered first: with the guard up and the location disowned the region would seem open to
 * who leaves the call from a signal handler.
 */
static inline __attribute__((always_inline)) void left(struct spur_loc *loc, struct spur_slot *slot,
                                                       uint64_t now, uint64_t n, uint8_t *p)
{
    otf2_evt_end(&slot->cursor, now, n, p);
    loc->now = now;
    note_leave(slot);
    spur_guard_give(&spur_self.guard);
    spur_loc_disown(loc);
}

/* The long way of spur_leave_now(). */
void spur_leave_now_rarely(struct spur_loc *loc, struct spur_call *call);

#endif
