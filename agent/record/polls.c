/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/record/polls.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/record/event_ways.h"
#include "agent/record/location.h"
#include "agent/record/open.h"
#include "agent/spur_agent.h"
#include "agent/spur_polls.h"
#include "agent/state/settings.h"
#include "session/properties.h"
#include "writer/evt_inline.h"

enum {
    ALONE = 63,      /* unsuccessful polls that are recorded individually */
    HEAD = 4,        /* of a list: id, length, and a count of one byte */
    LINE = 64,       /* bytes in a line are written, and read by others, at once */
    ENTER_BYTES = 64 /* larger than an Enter with its timestamp */
};

/*
 * Reasons against counting: values of metrics stand between the records; an Enter with a site has
 * an attribute already; short calls are taken back in a way of their own; other fibres of the
 * thread have regions of their own.
 */
enum {
    NOT_COUNTED =
        SPUR_GATE_SHUT | SPUR_GATE_METRICS | SPUR_GATE_CONTROL | SPUR_GATE_FIBRES | SPUR_GATE_SITES
};

/* Is the last poll's Leave followed by the Enter of a single further call, and nothing else? */
static bool is_next(const struct spur_polls *polls, const struct spur_loc *loc)
{
    const struct spur_slot *slot = loc->slot;
    const struct otf2_evt_cursor *cursor = &slot->cursor;
    return polls->failed && cursor->events == polls->events + 1 && cursor->chunk == polls->chunk &&
           cursor->pos > polls->after && cursor->pos - polls->after <= ENTER_BYTES &&
           slot->depth == polls->depth && slot->depth < SPUR_SLOT_REGIONS;
}

/*
 * The part of a row for a call; NULL: no room for a further part. A call with a calling context
 * shares no row with other calls.
 */
static struct spur_polls_part *part_of(struct spur_polls *polls, uint32_t word)
{
    uint32_t n = 0;
    while (n < polls->n_parts && polls->part[n].word != word)
        n++;
    if (n < polls->n_parts)
        return &polls->part[n];
    bool has_context = (word | polls->part[0].word) & ~(uint32_t)SPUR_OPEN_ID;
    if (n == SPUR_POLLS_PARTS || (n && has_context))
        return NULL;
    polls->part[n] = (struct spur_polls_part){.word = word};
    polls->n_parts = n + 1;
    return &polls->part[n];
}

/* The part of the call at work, in the current row or in a new row. */
static struct spur_polls_part *join(struct spur_polls *polls, const struct spur_loc *loc)
{
    uint32_t word = spur_open_word(loc, loc->slot->depth - 1);
    struct spur_polls_part *part = polls->failed ? part_of(polls, word) : NULL;
    if (part)
        return part;
    polls->failed = polls->n_parts = 0;
    polls->open = NULL;
    return part_of(polls, word);
}

/*
 * Counts a call: the location is once more in the region that goes on, and the number of the part's
 * calls grows by 1.
 */
static void count(struct spur_loc *loc, struct spur_polls_part *part)
{
    struct spur_polls *polls = &loc->polls;
    struct spur_slot *slot = loc->slot;
    take_back(slot, (struct records_end){polls->before, polls->events - 1, polls->time_before});
    slot->region[slot->depth - 1] = polls->open->word;
    part->calls++;
    memcpy(part->number, &part->calls, sizeof part->calls);
    atomic_thread_fence(memory_order_seq_cst);
}

/* The attribute of this process; defined with the first counted poll. */
static OTF2_AttributeRef attribute_of(const struct spur_loc *loc)
{
    static _Atomic uint64_t known; /* with the stamp of the process, + 1; 0: not defined */
    const uint64_t mask = (UINT64_C(1) << SPUR_STAMP_SHIFT) - 1;
    uint64_t value = atomic_load_explicit(&known, memory_order_relaxed);
    if (value & mask && (value & ~mask) == loc->stamp)
        return (OTF2_AttributeRef)((value & mask) - 1);
    OTF2_AttributeRef id = spur_def_attribute(SPUR_ATTRIBUTE_CALLS,
                                              "calls that the region stands for", OTF2_TYPE_UINT64);
    if (id != OTF2_UNDEFINED_ATTRIBUTE)
        atomic_store_explicit(&known, loc->stamp | (id + UINT64_C(1)), memory_order_relaxed);
    return id;
}

static OTF2_ErrorCode enter(struct spur_loc *loc, uint32_t word, OTF2_AttributeList *list,
                            OTF2_TimeStamp time)
{
    struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    if (word & ~(uint32_t)SPUR_OPEN_ID)
        return otf2_evt_put_CallingContextEnter(cursor, list, time, word & SPUR_OPEN_ID,
                                                SPUR_DISTANCE_LATER);
    return otf2_evt_put_Enter(cursor, list, time, word);
}

/*
 * Begins a part. The last record, the Enter of a poll, is written anew with the number of polls.
 * The number has its full width at once, and lies in a single line of the cache: readers see the
 * old number or the new number. If the number would cross a line, the Enter stays unchanged, and
 * the next poll lies elsewhere.
 */
static void begin(struct spur_loc *loc, struct spur_polls_part *part, OTF2_AttributeRef attribute)
{
    struct spur_polls *polls = &loc->polls;
    struct spur_slot *slot = loc->slot;
    struct otf2_evt_cursor *cursor = &slot->cursor;
    const OTF2_TimeStamp time = cursor->time;
    const uint64_t calls = 1;
    uint8_t bytes[2 * sizeof calls + 8];
    uint8_t *end = otf2_evt_put_any(bytes, OTF2_WIRE_VAR32, attribute);
    *end++ = OTF2_TYPE_UINT64;
    *end++ = sizeof calls;
    uint8_t *number =
        polls->after + (time > polls->time ? OTF2_FRAME_TIME_BYTES : 0) + HEAD + (end - bytes);
    memcpy(end, &calls, sizeof calls);
    end += sizeof calls;
    OTF2_AttributeList list = {.n = 1, .capacity = 1, .room = 1, .bytes = bytes, .end = end};
    uint64_t room = (uint64_t)OTF2_EVT_ROOM_CallingContextEnter + otf2_attributes_need(&list);
    if ((uintptr_t)number % LINE > LINE - sizeof calls ||
        room >= (uint64_t)(cursor->end - polls->after))
        return;
    slot->depth--;
    take_back(loc->slot, (struct records_end){polls->after, polls->events, polls->time});
    if (!is_written(loc, enter(loc, part->word, &list, time)))
        return;
    slot->depth++;
    part->number = number;
    part->calls = calls;
    polls->open = part;
}

/* Count the poll in the open row, or let the poll begin a row. */
static void go_on(struct spur_loc *loc, struct spur_polls_part *part, bool is_in_row,
                  OTF2_AttributeRef attribute)
{
    struct spur_polls *polls = &loc->polls;
    polls->is_counted = is_in_row && part && polls->open && part->number;
    if (polls->is_counted) {
        count(loc, part);
        return;
    }
    polls->open = NULL;
    if (part && attribute != OTF2_UNDEFINED_ATTRIBUTE && polls->failed >= ALONE)
        begin(loc, part, attribute);
}

bool spur_poll(struct spur_loc *loc, const void *what, bool is_done)
{
    struct spur_polls *polls = &loc->polls;
    polls->is_counted = false;
    if ((is_done && !polls->failed) || spur_settings.polls == SPUR_POLLS_ALL)
        return false;
    /* Only an unsuccessful poll begins a row. */
    OTF2_AttributeRef attribute =
        polls->failed >= ALONE && !is_done ? attribute_of(loc) : OTF2_UNDEFINED_ATTRIBUTE;
    if (!spur_loc_own(loc))
        return false;
    bool may_be = !(atomic_load_explicit(&loc->gate, memory_order_relaxed) & NOT_COUNTED);
    if (!may_be || !is_next(polls, loc) || (is_done && polls->what != what))
        polls->failed = 0;
    struct spur_polls_part *part = may_be && loc->slot->depth ? join(polls, loc) : NULL;
    polls->what = !polls->failed || polls->what == what ? what : &polls->what;
    bool is_of_open = part && part == polls->open;
    go_on(loc, part, !is_done || is_of_open || !what, attribute);
    if (is_done)
        polls->failed = 0;
    polls->is_over = is_done;
    spur_loc_disown(loc);
    return may_be && (!is_done || (polls->is_counted && !is_of_open));
}

bool spur_poll_is_counted(const struct spur_loc *loc)
{
    return loc->polls.is_counted;
}

uint32_t spur_polls_leaving(struct spur_loc *loc, uint32_t region)
{
    struct spur_polls *polls = &loc->polls;
    struct spur_slot *slot = loc->slot;
    polls->depth = slot->depth;
    polls->before = slot->cursor.pos;
    polls->chunk = slot->cursor.chunk;
    polls->time_before = slot->cursor.time;
    polls->events = slot->cursor.events;
    slot->firm = slot->cursor.pos;
    return polls->is_counted ? polls->open->word & SPUR_OPEN_ID : region;
}

void spur_polls_left(struct spur_loc *loc)
{
    struct spur_polls *polls = &loc->polls;
    const struct otf2_evt_cursor *cursor = &loc->slot->cursor;
    bool is_last = polls->before && cursor->pos > polls->before && cursor->chunk == polls->chunk &&
                   cursor->events == polls->events + 1 && loc->slot->depth + 1 == polls->depth;
    polls->after = cursor->pos;
    polls->time = cursor->time;
    polls->events = cursor->events;
    polls->failed = is_last && !polls->is_over ? polls->failed + (polls->failed < ALONE) : 0;
}
