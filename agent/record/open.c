/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/open.h"

#include <errno.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/record/call_site.h"
#include "agent/record/control.h"
#include "agent/record/event_ways.h"
#include "agent/record/fibre.h"
#include "agent/record/hooks.h"
#include "agent/record/location.h"
#include "agent/record/short_calls.h"
#include "agent/spur_agent.h"
#include "agent/state/event_clock.h"
#include "agent/state/identity.h"
#include "agent/state/settings.h"
#include "agent/state/state.h"
#include "base/mem.h"
#include "format/attributes.h"
#include "writer/evt_inline.h"

/* ---- the stack ---- */

static bool has_deep_room(struct spur_loc *loc, uint32_t at)
{
    enum { FIRST_ROOM = 64 };
    if (at < loc->deep_room)
        return true;
    uint32_t room = loc->deep_room ? 2 * loc->deep_room : FIRST_ROOM;
    while (room <= at)
        room *= 2;
    uint32_t *deep = spur_mem_new(room * sizeof *deep);
    if (!deep)
        return false;
    if (loc->deep) {
        memcpy(deep, loc->deep, loc->deep_room * sizeof *deep);
        spur_mem_free(loc->deep, loc->deep_room * sizeof *deep);
    }
    loc->deep = deep;
    loc->deep_room = room;
    return true;
}

void spur_open_note_deep(struct spur_loc *loc, uint32_t depth, uint32_t word)
{
    if (has_deep_room(loc, depth - SPUR_SLOT_REGIONS))
        loc->deep[depth - SPUR_SLOT_REGIONS] = word;
}

uint32_t spur_open_word(const struct spur_loc *loc, uint32_t depth)
{
    if (depth < SPUR_SLOT_REGIONS)
        return loc->slot->region[depth];
    depth -= SPUR_SLOT_REGIONS;
    return depth < loc->deep_room ? loc->deep[depth] : OTF2_UNDEFINED_UINT32 & SPUR_OPEN_ID;
}

uint32_t spur_open_word_of(struct spur_loc *loc, OTF2_RegionRef region)
{
    if (!(atomic_load_explicit(&loc->gate, memory_order_relaxed) & SPUR_GATE_STACKS))
        return region;
    uint32_t context = spur_hooks.context(loc, region);
    return context == OTF2_UNDEFINED_CALLING_CONTEXT ? SPUR_NOT_OPEN : SPUR_OPEN_CONTEXT | context;
}

static OTF2_ErrorCode enter_at_site(struct spur_loc *loc, uint32_t region,
                                    const struct spur_site *site)
{
    enum { HEAD = 4 }; /* id, length, and a count of one byte */
    uint8_t bytes[SPUR_SITE_BYTES];
    memcpy(bytes, site->bytes, sizeof bytes);
    OTF2_AttributeList list = {
        .n = 1, .capacity = 1, .room = 1, .bytes = bytes + HEAD, .end = bytes + site->length};
    return otf2_evt_put_Enter(&loc->slot->cursor, &list, loc->now, region);
}

OTF2_ErrorCode spur_open_begin(struct spur_loc *loc, uint32_t word, const struct spur_site *site)
{
    struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    uint32_t id = word & SPUR_OPEN_ID;
    if (word == id && site && site->length)
        return enter_at_site(loc, id, site);
    if (word == id)
        return otf2_evt_put_Enter(cursor, NULL, loc->now, id);
    return otf2_evt_put_CallingContextEnter(cursor, NULL, loc->now, id, SPUR_DISTANCE_LATER);
}

/* Write the end of the region or construct of a word, at `time`. OTF2_SUCCESS for a word without an
 * end. */
static OTF2_ErrorCode end_word(struct otf2_evt_cursor *cursor, uint64_t time, uint32_t word)
{
    uint32_t id = word & SPUR_OPEN_ID;
    switch (word & ~(uint32_t)SPUR_OPEN_ID) {
    case SPUR_OPEN_TEAM:
        return otf2_evt_put_ThreadTeamEnd(cursor, NULL, time, id);
    case SPUR_OPEN_FORK:
        return otf2_evt_put_ThreadJoin(cursor, NULL, time, (OTF2_Paradigm)id);
    case SPUR_OPEN_CONTEXT:
        return otf2_evt_put_CallingContextLeave(cursor, NULL, time, id);
    default:
        return otf2_evt_put_Leave(cursor, NULL, time, id);
    }
}

OTF2_ErrorCode spur_open_end_to(struct spur_loc *loc, uint32_t depth)
{
    struct spur_slot *slot = loc->slot;
    OTF2_ErrorCode error = OTF2_SUCCESS;
    if (slot->depth > depth)
        spur_samples_settle(loc, loc->now);
    while (slot->depth > depth && !error) {
        uint32_t word = spur_open_word(loc, slot->depth - 1);
        if (spur_open_is_region(word))
            spur_hooks.leaving(loc);
        error = end_word(&slot->cursor, loc->now, word);
        slot->depth--;
    }
    return error;
}

void spur_open_free(struct spur_loc *loc)
{
    spur_mem_free(loc->deep, loc->deep_room * sizeof *loc->deep);
    loc->deep = NULL;
    loc->deep_room = 0;
}

/* ---- as wrappers see it ---- */

static struct spur_loc *find_open(void)
{
    uint32_t state = spur_state_now();
    bool is_ours = spur_self.generation == spur_process.generation;
    return is_ours && (state == SPUR_ON || state == SPUR_PAUSED) ? spur_self.loc : NULL;
}

static struct spur_loc *find_or_open(void)
{
    uint32_t state = spur_state_now();
    if (state == SPUR_ON && spur_self.loc && spur_self.generation == spur_process.generation)
        return spur_self.loc;
    if (state == SPUR_PAUSED && !spur_control_resumes())
        return NULL;
    int saved = errno;
    struct spur_loc *loc =
        spur_state_now() == SPUR_ON || spur_process_open() ? spur_loc_self() : NULL;
    errno = saved;
    return loc;
}

static struct spur_loc *find(enum spur_family family, bool is_end)
{
    if (!is_end && !(spur_families >> family & 1))
        return NULL;
    struct spur_loc *loc = is_end ? find_open() : find_or_open();
    if (loc && spur_loc_is_shut(loc))
        return NULL; /* other threads would refer to a task without a begin */
    if (!loc || !spur_control_must_attend(loc) || spur_state_now() == SPUR_PAUSED)
        return loc;
    return spur_control_attend(loc) || is_end ? loc : NULL;
}

struct spur_loc *spur_begin(enum spur_family family, bool is_end)
{
    return spur_begin_at(family, is_end, 0);
}

struct spur_loc *spur_begin_at(enum spur_family family, bool is_end, uint64_t time)
{
    struct spur_thread_state *self = &spur_self;
    uint32_t state = spur_state_now();
    if (!spur_guard_raise(state, NULL))
        return NULL;
    self->frame = SPUR_NO_FRAME;
    struct spur_loc *loc = find(family, is_end);
    if (loc) {
        if (time)
            spur_tick_to(loc, time);
        else
            spur_tick(loc);
        loc->family = (uint8_t)family;
        return loc;
    }
    spur_guard_give(spur_guard_at(self));
    return NULL;
}

/* Not inlined: where a construct begins the agent may have little more of the stack. */
__attribute__((noinline)) void spur_end(struct spur_loc *loc)
{
    (void)loc;
    spur_guard_give(spur_guard_at(&spur_self));
}

__attribute__((noinline)) void spur_inside_begin(void)
{
    if (spur_guard_take(spur_guard_at(&spur_self)))
        spur_self.frame = SPUR_NO_FRAME;
}

__attribute__((noinline)) void spur_inside_end(void)
{
    spur_guard_give(spur_guard_at(&spur_self));
}

__attribute__((noinline)) bool spur_inside(void)
{
    return *spur_guard_at(&spur_self) != 0;
}

static uint32_t note(struct spur_loc *loc, OTF2_ErrorCode error, uint32_t word)
{
    struct spur_slot *slot = loc->slot;
    uint32_t depth = slot->depth;
    if (error) {
        spur_loc_fail(loc, error);
        return depth;
    }
    if (depth < SPUR_SLOT_REGIONS)
        slot->region[depth] = word;
    else
        spur_open_note_deep(loc, depth, word);
    slot->depth = depth + 1;
    return depth;
}

/* As spur_open_begin(), with the attributes of the Enter. */
static OTF2_ErrorCode begin_with(struct spur_loc *loc, uint32_t word, OTF2_AttributeList *list)
{
    struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    uint32_t id = word & SPUR_OPEN_ID;
    if (word == id)
        return otf2_evt_put_Enter(cursor, list, loc->now, id);
    return otf2_evt_put_CallingContextEnter(cursor, list, loc->now, id, SPUR_DISTANCE_LATER);
}

/* Not inlined: the caller's stack is the program's. */
static __attribute__((noinline)) void place(struct spur_loc *loc, uint32_t depth)
{
    if (loc->slot->depth > depth && spur_loc_has_places(loc))
        spur_hooks.placed(loc, depth, spur_open_word(loc, depth),
                          loc->family == SPUR_FAMILY_PYTHON);
}

static uint32_t open_region(struct spur_loc *loc, OTF2_RegionRef region, OTF2_AttributeList *list)
{
    if (region == OTF2_UNDEFINED_REGION || !spur_loc_own(loc))
        return SPUR_NOT_OPEN;
    spur_samples_settle(loc, loc->now); /* samples until now are not within the region */
    uint32_t word = spur_open_word_of(loc, region);
    uint32_t mark = SPUR_NOT_OPEN;
    if (word != SPUR_NOT_OPEN) {
        spur_hooks.entering(loc, loc->family);
        spur_short_enter(loc);
        spur_hooks.entered(loc);
        OTF2_ErrorCode error = begin_with(loc, word, list);
        spur_short_entered(loc);
        mark = note(loc, error, word);
        place(loc, mark);
    }
    spur_loc_disown(loc);
    return mark;
}

uint32_t spur_open_region(struct spur_loc *loc, OTF2_RegionRef region)
{
    return open_region(loc, region, NULL);
}

uint32_t spur_open_region_with(struct spur_loc *loc, OTF2_RegionRef region, uint32_t n,
                               const struct spur_attribute *attribute)
{
    struct otf2_attribute entry[SPUR_RANGE_ATTRIBUTES];
    OTF2_AttributeList list = list_of(entry, n, attribute);
    return open_region(loc, region, n ? &list : NULL);
}

void spur_def_team_member(const struct spur_loc *loc, uint32_t number, uint32_t position)
{
    DEFINE(TeamMember, NUMBER(number), NUMBER(position), NUMBER(loc->thread));
}

uint32_t spur_open_team(struct spur_loc *loc, OTF2_CommRef team)
{
    if (team == OTF2_UNDEFINED_COMM || !spur_loc_own(loc))
        return SPUR_NOT_OPEN;
    uint32_t mark =
        note(loc, otf2_evt_put_ThreadTeamBegin(&loc->slot->cursor, NULL, loc->now, team),
             SPUR_OPEN_TEAM | team);
    spur_loc_disown(loc);
    return mark;
}

uint32_t spur_open_fork(struct spur_loc *loc, OTF2_Paradigm paradigm, uint32_t requested)
{
    if (!spur_loc_own(loc))
        return SPUR_NOT_OPEN;
    uint32_t mark =
        note(loc, otf2_evt_put_ThreadFork(&loc->slot->cursor, NULL, loc->now, paradigm, requested),
             SPUR_OPEN_FORK | paradigm);
    spur_loc_disown(loc);
    return mark;
}

void spur_close(struct spur_loc *loc, uint32_t mark)
{
    if (!spur_loc_own(loc))
        return;
    while (loc->slot->depth > mark && spur_short_left(loc))
        ;
    OTF2_ErrorCode error = spur_open_end_to(loc, mark);
    if (error)
        spur_loc_fail(loc, error);
    spur_loc_disown(loc);
}

/* A child counts itself when it first records something: a question before its first record is
 * not its parent's either. */
uint32_t spur_generation(void)
{
    return spur_process.generation + (spur_state_now() == SPUR_CHILD);
}

bool spur_process_property(const char *name, const char *value)
{
    if (!spur_is_open())
        return false;
    spur_def_property(name, value);
    return true;
}
