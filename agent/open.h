/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is open on a location: regions, memberships in thread teams, forks; one stack of words, the
 * outermost first. It lies in the location's slot, so that whoever finishes the archive can end
 * what a process left open. Words beyond the slot's room are the process's own and die with it.
 */
#ifndef SPUR_OPEN_H
#define SPUR_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/segment.h"
#include "writer/evt_inline.h"

struct spur_loc;

/* By itself or in its calling context. */
static inline bool spur_open_is_region(uint32_t word)
{
    uint32_t mark = word & ~(uint32_t)SPUR_OPEN_ID;
    return mark == 0 || mark == SPUR_OPEN_CONTEXT;
}

/* Write the end of what a word says, at `time`. OTF2_SUCCESS for what has none. */
static inline OTF2_ErrorCode spur_open_end(struct otf2_evt_cursor *cursor, uint64_t time,
                                           uint32_t word)
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

/*
 * The word of a region that is about to be entered on a location that the caller owns: itself, or
 * its context where stacks are taken. SPUR_NOT_OPEN: it cannot be recorded.
 */
uint32_t spur_open_word_of(struct spur_loc *loc, OTF2_RegionRef region);

/* Write the beginning of what such a word says, at the location's time. */
OTF2_ErrorCode spur_open_begin(struct spur_loc *loc, uint32_t word);

/* Note `word` as the one at `depth`, which the slot has no room for. */
void spur_open_note_deep(struct spur_loc *loc, uint32_t depth, uint32_t word);

/*
 * End what is open beyond `depth`, innermost first, at the location's time. The location is owned
 * by the caller.
 */
OTF2_ErrorCode spur_open_end_to(struct spur_loc *loc, uint32_t depth);

/* The word at a depth that is open; one that nobody could remember is undefined. */
uint32_t spur_open_word(const struct spur_loc *loc, uint32_t depth);

void spur_open_free(struct spur_loc *loc);

#endif
