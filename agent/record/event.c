/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The hot path: no lock, no system call but the clock, no allocation, no log.
 *
 * Every record takes the short way or the long way.
 *
 * The short way is a straight line without a call. The short way raises `busy`, asks the location's
 * gate, looks whether the chunk has room for all bytes to be written, and fills in a run: one or
 * more records with their timestamps. The records of a run count all at once, when the cursor moves
 * behind the run. The short way knows nothing of optional features. If the gate is open, the clock
 * is the TSC. If the gate only says that the clock is read by a call, the same straight line exists
 * with the call: the long way first checks for this case.
 *
 * The long way is a function of its own, *_rarely(), for rare cases: the first record, a full
 * chunk, a region that is not cached, a value of unusual size, a time that is not later. The long
 * way also handles all features switched on by a bit of the gate: then every record comes here, and
 * the features cost the short way nothing. A long way starts afresh: the short way has changed only
 * `busy` and the guard. The long way writes record by record, so a record can be put before or in
 * place of another record:
 *
 *     enter_rarely()   the Enter, and records before the Enter or instead of the Enter
 *     leave_rarely()   the Leave at the location's time, and records before or instead of the Leave
 *
 * All Enters of calls that are not on the short way come through enter_rarely(), and all Leaves
 * through leave_rarely(). A short way that writes several records at once has a long way made of
 * these two functions and of put_rarely_*().
 */
#include <errno.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/filter_load.h"
#include "agent/record/cached_region.h"
#include "agent/record/call_site.h"
#include "agent/record/control.h"
#include "agent/record/event_ways.h"
#include "agent/record/fibre.h"
#include "agent/record/hooks.h"
#include "agent/record/location.h"
#include "agent/record/object.h"
#include "agent/record/open.h"
#include "agent/record/polls.h"
#include "agent/record/short_calls.h"
#include "agent/spur_agent.h"
#include "agent/spur_polls.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "writer/evt_inline.h"

static bool is_wanted(const struct spur_call *call)
{
    return (spur_families >> call->family & 1) && !(call->is_off && *call->is_off);
}

static uint32_t region_define(struct spur_call *call)
{
    const struct spur_filter_subject subject = {.name = call->name, .is_wrapped = true};
    bool is_recorded = is_wanted(call) && !spur_filtered(&subject);
    uint32_t region = is_recorded ? spur_def_region(call) : REGION_OFF;
    if (region <= REGION_OFF)
        atomic_store_explicit(&call->region, spur_loc_stamp() | cached_of(region),
                              memory_order_relaxed);
    return region;
}

uint32_t spur_region_of(struct spur_call *call)
{
    uint64_t cached = cached_in(call, spur_loc_stamp());
    bool is_known = is_cached(cached) || cached >> CACHED_SHIFT == CACHED_OFF;
    return is_known ? region_in(cached) : region_define(call);
}

/* On the short way; `is_called` is a constant of each use. */
static inline __attribute__((always_inline)) uint64_t time_now(bool is_called)
{
    return is_called ? spur_clock_called() : spur_clock_tsc();
}

/*
 * The beginning of a run with this time. With the TSC, NULL also after a pause: the long way then
 * looks after the TSC.
 */
static inline __attribute__((always_inline)) uint8_t *
begin_run(const struct spur_slot *slot, uint64_t now, uint64_t room, bool is_called)
{
    return is_called ? otf2_evt_begin_run(&slot->cursor, now, room)
                     : otf2_evt_begin_now(&slot->cursor, now, room);
}

/* ---- enter and leave ---- */

static struct spur_loc *find_location(const struct spur_call *call)
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

/* The guard is up; the location may be owned. */
static __attribute__((noinline)) struct spur_loc *
enter_rarely(struct spur_loc *loc, struct spur_call *call, struct spur_caller caller)
{
    spur_loc_disown(loc);
    bool entered = false;
    bool is_paused = spur_control_must_attend(loc) && !spur_control_attend(loc);
    uint32_t region = is_paused ? REGION_OFF : spur_region_of(call);
    if (region < REGION_OFF && spur_loc_own(loc)) {
        struct spur_slot *slot = loc->slot;
        spur_fibre_settle(loc);
        uint32_t word = spur_open_word_of(loc, region);
        if (word != SPUR_NOT_OPEN) {
            const struct spur_site *site = loc->sites ? spur_site_of(loc, caller) : NULL;
            spur_hooks.entering(loc, call->family);
            tick(loc);
            spur_short_enter(loc);
            spur_hooks.entered(loc);
            entered = is_written(loc, spur_open_begin(loc, word, site));
            spur_short_entered(loc);
        }
        if (entered && slot->depth < SPUR_SLOT_REGIONS)
            slot->region[slot->depth++] = word;
        else if (entered)
            spur_open_note_deep(loc, slot->depth++, word);
        if (entered)
            spur_samples_settle(loc, loc->now);
        spur_loc_disown(loc);
    }
    if (entered)
        return loc;
    lower_guard();
    return NULL;
}

static __attribute__((noinline)) struct spur_loc *
enter_first(struct spur_call *call, struct spur_caller caller, const void *frame)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (!spur_guard_raise(state, frame))
        return NULL;
    self->frame = frame;
    struct spur_loc *loc = state == SPUR_ON ? self->loc : NULL;
    if (!loc && (state != SPUR_PAUSED || spur_control_resumes()))
        loc = find_location(call);
    if (loc)
        return enter_rarely(loc, call, caller);
    lower_guard();
    return NULL;
}

/*
 * A signal handler may have forked since the hold was looked up: then this process is the child,
 * which may have recorded already, and the acquisition is the parent's.
 */
static inline bool is_own(const struct spur_hold *hold)
{
    return hold->generation == spur_process.generation;
}

static __attribute__((noinline)) struct spur_loc *
release_rarely(struct spur_loc *loc, struct spur_call *call, const struct spur_hold *hold,
               struct spur_caller caller, const void *frame)
{
    loc = loc ? enter_rarely(loc, call, caller) : enter_first(call, caller, frame);
    if (loc) {
        if (hold->id != SPUR_NO_LOCK && is_own(hold))
            spur_put_ThreadReleaseLock(loc, call->paradigm, hold->id, hold->order);
        spur_lock_released(loc, hold);
    }
    return loc;
}

/* The guard is up already: the guard of a thread with sharers is always up. */
static __attribute__((noinline)) struct spur_loc *refused(struct spur_call *call,
                                                          const struct spur_hold *hold,
                                                          struct spur_caller caller,
                                                          const void *frame)
{
    if (!spur_sharers.tid) {
        spur_fibre_refused(frame);
        return NULL;
    }
    spur_guard_give(&spur_self.guard);
    return hold ? release_rarely(NULL, call, hold, caller, frame)
                : enter_first(call, caller, frame);
}

static inline __attribute__((always_inline)) struct spur_loc *
enter_again(struct spur_loc *loc, struct spur_call *call, const struct spur_hold *hold,
            struct spur_caller caller, const void *frame)
{
    return hold ? release_rarely(loc, call, hold, caller, frame) : enter_rarely(loc, call, caller);
}

/*
 * The guard is up and the location owned. With or without the release of a lock, and with or
 * without a site (constants in uses with the TSC).
 */
static inline __attribute__((always_inline)) struct spur_loc *
enter_owned(struct spur_loc *loc, struct spur_call *call, const struct spur_hold *hold,
            struct spur_caller caller, const void *frame, const struct spur_site *site,
            bool is_called)
{
    struct spur_slot *slot = loc->slot;
    uint64_t cached = cached_in(call, loc->stamp);
    if (__builtin_expect(!is_cached(cached) ||
                             slot->depth >= atomic_load_explicit(&slot->room, memory_order_relaxed),
                         0))
        goto rare;
    if (hold && __builtin_expect(!is_own(hold), 0))
        goto rare;
    uint64_t now = time_now(is_called);
    const uint64_t room = (uint64_t)ROOM_CACHED + (site ? SPUR_SITE_ROOM : 0u) +
                          (hold ? OTF2_EVT_ROOM_ThreadReleaseLock : 0u);
    uint8_t *p = begin_run(slot, now, room, is_called);
    if (__builtin_expect(!p, 0))
        goto rare;
    if (site)
        p = spur_site_fill(p, site);
    p = fill_cached(p, OTF2_EVT_ID_Enter, cached);
    if (hold)
        p = otf2_evt_fill_ThreadReleaseLock(p, call->paradigm, hold->id, hold->order);
    if (hold && __builtin_expect(!p, 0))
        goto rare;
    otf2_evt_end(&slot->cursor, now, hold ? 2 : 1, p);
    loc->now = now;
    slot->region[slot->depth++] = region_in(cached);
    spur_loc_disown(loc);
    if (hold)
        spur_object_at(hold->lock, now);
    return loc;
rare:
    return enter_again(loc, call, hold, caller, frame);
}

/* Looking a site up takes much of the stack: not from within this large frame. */
static __attribute__((noinline)) struct spur_loc *
enter_called_owned(struct spur_loc *loc, struct spur_call *call, const struct spur_hold *hold,
                   struct spur_caller caller, const struct spur_site *site)
{
    return enter_owned(loc, call, hold, caller, spur_self.frame, site, true);
}

/* On the short way of a clock read by a call, or on the long way. */
static __attribute__((noinline)) struct spur_loc *enter_called(struct spur_loc *loc,
                                                               struct spur_call *call,
                                                               const struct spur_hold *hold,
                                                               struct spur_caller caller)
{
    if (!spur_loc_is_plain(loc, true))
        return enter_again(loc, call, hold, caller, spur_self.frame);
    const struct spur_site *site = loc->sites ? spur_site_of(loc, caller) : NULL;
    return enter_called_owned(loc, call, hold, caller, site);
}

/* Not on the short way without sites: on the short way with sites, or on another way. */
static __attribute__((noinline)) struct spur_loc *
enter_sited(struct spur_loc *loc, struct spur_call *call, struct spur_caller caller)
{
    if (!spur_loc_is_plain(loc, false))
        return enter_called(loc, call, NULL, caller);
    const struct spur_site *site = spur_site_of(loc, caller);
    return enter_owned(loc, call, NULL, caller, spur_self.frame, site, false);
}

static __attribute__((noinline)) struct spur_loc *release_sited(struct spur_loc *loc,
                                                                struct spur_call *call,
                                                                const struct spur_hold *hold,
                                                                struct spur_caller caller)
{
    if (!spur_loc_is_plain(loc, false))
        return enter_called(loc, call, hold, caller);
    const struct spur_site *site = spur_site_of(loc, caller);
    return enter_owned(loc, call, hold, caller, spur_self.frame, site, false);
}

/*
 * Does recording stay paused? The thread has recorded the pause, so nothing else is to be looked
 * at.
 */
static inline __attribute__((always_inline)) bool stays_paused(const struct spur_thread_state *self,
                                                               const struct spur_loc *loc)
{
    return spur_state_now() == SPUR_PAUSED && self->guard == 0 && (!loc || loc->told_off) &&
           !atomic_load_explicit(spur_control_asked, memory_order_relaxed);
}

static inline __attribute__((always_inline)) struct spur_loc *enter(struct spur_call *call,
                                                                    const struct spur_hold *hold,
                                                                    struct spur_caller caller,
                                                                    const void *frame)
{
    struct spur_thread_state *self = &spur_self;
    struct spur_loc *loc = self->loc;
    if (__builtin_expect(!loc || spur_state_now() != SPUR_ON, 0)) {
        if (stays_paused(self, loc))
            return NULL;
        return hold ? release_rarely(NULL, call, hold, caller, frame)
                    : enter_first(call, caller, frame);
    }
    if (__builtin_expect(!spur_guard_take(&spur_self.guard), 0))
        return refused(call, hold, caller, frame);
    self->frame = frame;
    if (__builtin_expect(!spur_loc_own_whole(loc), 0))
        return hold ? release_sited(loc, call, hold, caller) : enter_sited(loc, call, caller);
    return enter_owned(loc, call, hold, caller, frame, NULL, false);
}

bool spur_sleeps(void)
{
    return stays_paused(&spur_self, spur_self.loc) || spur_state_now() == SPUR_OFF;
}

struct spur_loc *spur_enter_from(struct spur_call *call, struct spur_caller caller)
{
    return enter(call, NULL, caller, __builtin_dwarf_cfa());
}

struct spur_loc *spur_enter_told(struct spur_call *call)
{
    struct spur_loc *loc = spur_enter_from(call, SPUR_CALLER);
    if (loc)
        spur_self.frame = SPUR_NO_FRAME; /* the frame of the call is unknown */
    return loc;
}

struct spur_loc *spur_enter_release(struct spur_call *call, const struct spur_hold *hold,
                                    struct spur_caller caller)
{
    return enter(call, hold, caller, __builtin_dwarf_cfa());
}

/* The Leave of a region that stays. */
static void put_leave(struct spur_loc *loc, uint32_t region)
{
    struct spur_slot *slot = loc->slot;
    if (atomic_load_explicit(&loc->gate, memory_order_relaxed) & SPUR_GATE_STACKS) {
        (void)is_written(loc, spur_open_end_to(loc, slot->depth - (slot->depth > 0)));
        return;
    }
    spur_hooks.leaving(loc);
    if (is_written(loc, otf2_evt_put_Leave(&slot->cursor, NULL, loc->now, region)))
        note_leave(slot);
}

static __attribute__((noinline)) void leave_rarely(struct spur_loc *loc, struct spur_call *call)
{
    if (spur_loc_own(loc)) {
        uint32_t region = spur_region_of(call);
        if (region < REGION_OFF && !spur_fibre_may_leave(loc, region)) {
            spur_loc_disown(loc);
            return;
        }
        spur_samples_settle(loc, loc->now);
        bool stays = region < REGION_OFF && !spur_short_left(loc);
        if (stays && loc->polls.is_leaving)
            region = spur_polls_leaving(loc, region);
        if (stays)
            put_leave(loc, region);
        if (stays && loc->polls.is_leaving)
            spur_polls_left(loc);
        spur_fibre_settle(loc);
        spur_loc_disown(loc);
    } else if (loc->stands) {
        spur_control_stood(loc);
    }
    lower_guard();
}

void spur_leave_poll(struct spur_loc *loc, struct spur_call *call)
{
    loc->polls.is_leaving = true;
    leave_rarely(loc, call);
    loc->polls.is_leaving = false;
}

void spur_leave(struct spur_loc *loc, struct spur_call *call)
{
    uint64_t cached = cached_in(call, loc->stamp);
    if (__builtin_expect(!spur_loc_own_at_once(loc) || !is_cached(cached), 0))
        goto rare;
    struct spur_slot *slot = loc->slot;
    uint64_t now = loc->now;
    uint8_t *p = otf2_evt_begin_run(&slot->cursor, now, ROOM_CACHED);
    if (__builtin_expect(!p, 0))
        goto rare;
    left(loc, slot, now, 1, fill_cached(p, OTF2_EVT_ID_Leave, cached));
    return;
rare:
    leave_rarely(loc, call);
}

static inline __attribute__((always_inline)) bool
leave_now(struct spur_loc *loc, const struct spur_call *call, bool is_called)
{
    uint64_t cached = cached_in(call, loc->stamp);
    if (__builtin_expect(!spur_loc_own_plain(loc, is_called) || !is_cached(cached), 0))
        return false;
    struct spur_slot *slot = loc->slot;
    uint64_t now = time_now(is_called);
    uint8_t *p = begin_run(slot, now, ROOM_CACHED, is_called);
    if (__builtin_expect(!p, 0))
        return false;
    left(loc, slot, now, 1, fill_cached(p, OTF2_EVT_ID_Leave, cached));
    return true;
}

__attribute__((noinline)) void spur_leave_now_rarely(struct spur_loc *loc, struct spur_call *call)
{
    if (leave_now(loc, call, true))
        return;
    tick(loc);
    leave_rarely(loc, call);
}

void spur_leave_now(struct spur_loc *loc, struct spur_call *call)
{
    if (__builtin_expect(!leave_now(loc, call, false), 0))
        spur_leave_now_rarely(loc, call);
}

static inline __attribute__((always_inline)) bool
leave_acquired(struct spur_loc *loc, const struct spur_call *call, const void *lock,
               struct spur_hold *hold, bool is_called)
{
    uint64_t cached = cached_in(call, loc->stamp);
    struct spur_object *object = spur_object_glance(lock);
    if (__builtin_expect(!spur_loc_own_plain(loc, is_called) || !is_cached(cached) || !object, 0))
        return false;
    uint64_t now = time_now(is_called);
    if (__builtin_expect(now < atomic_load_explicit(&object->latest, memory_order_relaxed), 0))
        return false;
    struct spur_slot *slot = loc->slot;
    const uint32_t id = object->id;
    const uint32_t order = spur_object_next(object);
    uint8_t *p = begin_run(slot, now, OTF2_EVT_ROOM_ThreadAcquireLock + ROOM_CACHED, is_called);
    if (__builtin_expect(!p || !(p = otf2_evt_fill_ThreadAcquireLock(p, call->paradigm, id, order)),
                         0))
        return false;
    spur_object_order_is(object, order);
    *hold = (struct spur_hold){.id = id,
                               .order = order,
                               .lock = object,
                               .generation = spur_process.generation};
    left(loc, slot, now, 2, fill_cached(p, OTF2_EVT_ID_Leave, cached));
    return true;
}

static __attribute__((noinline)) void acquire_rarely(struct spur_loc *loc, struct spur_call *call,
                                                     const void *lock, struct spur_hold *hold)
{
    if (leave_acquired(loc, call, lock, hold, true))
        return;
    tick(loc);
    *hold = spur_lock_acquired(loc, lock);
    if (hold->id != SPUR_NO_LOCK)
        spur_put_ThreadAcquireLock(loc, call->paradigm, hold->id, hold->order);
    leave_rarely(loc, call);
}

void spur_leave_acquired(struct spur_loc *loc, struct spur_call *call, const void *lock,
                         struct spur_hold *hold)
{
    if (__builtin_expect(!leave_acquired(loc, call, lock, hold, false), 0))
        acquire_rarely(loc, call, lock, hold);
}

/* On the short way; otherwise the location's time is unchanged. */
static inline __attribute__((always_inline)) bool tick_plain(struct spur_loc *loc, bool is_called)
{
    if (__builtin_expect(!spur_loc_is_plain(loc, is_called), 0))
        return false;
    uint64_t now = time_now(is_called);
    bool is_rare = is_called ? now < loc->now : now - loc->now > OTF2_EVT_PAUSE; /* or earlier */
    if (__builtin_expect(is_rare, 0))
        return false;
    loc->now = now;
    return true;
}

/*
 * The thread that has shut the location may be recording the creation of a thread, at an earlier
 * time.
 */
static __attribute__((noinline)) void tick_rarely(struct spur_loc *loc)
{
    if (!tick_plain(loc, true) && !spur_is_dropped(loc))
        tick(loc);
}

void spur_tick(struct spur_loc *loc)
{
    if (__builtin_expect(!tick_plain(loc, false), 0))
        tick_rarely(loc);
}
