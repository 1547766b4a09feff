/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open words of a location (regions, memberships in thread teams, forks): a stack of words, the
 * outermost first. The stack is in the location's slot, so that finishing can end the words that a
 * process left open. Words beyond the slot's room are in the memory of the process and are lost
 * with the process.
 */
#ifndef SPUR_OPEN_H
#define SPUR_OPEN_H

#include <stdbool.h>
#include <stdint.h>

#include "session/segment.h"

struct spur_call;
struct spur_callback;
struct spur_loc;
struct spur_site;

/* A region by itself or in its calling context. */
static inline bool spur_open_is_region(uint32_t word)
{
    uint32_t mark = word & ~(uint32_t)SPUR_OPEN_ID;
    return mark == 0 || mark == SPUR_OPEN_CONTEXT;
}

/*
 * The word for entering a region on a location that the caller owns: the region, or its context
 * where stacks are taken. SPUR_NOT_OPEN: the region cannot be recorded.
 */
uint32_t spur_open_word_of(struct spur_loc *loc, OTF2_RegionRef region);

/* Write the beginning for such a word, at the location's time. `site` NULL: none. */
OTF2_ErrorCode spur_open_begin(struct spur_loc *loc, uint32_t word, const struct spur_site *site);

/* Note `word` at `depth`, beyond the room of the slot. */
void spur_open_note_deep(struct spur_loc *loc, uint32_t depth, uint32_t word);

/*
 * End all words open beyond `depth`, innermost first, at the location's time. The location is owned
 * by the caller.
 */
OTF2_ErrorCode spur_open_end_to(struct spur_loc *loc, uint32_t depth);

/* The word at an open depth; undefined if the word could not be kept. */
uint32_t spur_open_word(const struct spur_loc *loc, uint32_t depth);

void spur_open_free(struct spur_loc *loc);

/* Is `callback` among the thread's callbacks? The pointer is only compared here. */
bool spur_callback_is_open(const struct spur_callback *callback);
/* As spur_callback_begin(); false: not now, and nothing has changed. */
bool spur_callback_try(struct spur_callback *callback, struct spur_loc *loc,
                       struct spur_call *call);

#endif
