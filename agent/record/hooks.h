/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What other rooms do at events: metrics, stacks, samples. This room does not know them;
 * agent/process/hooks.c lists them. They are called on the long way only, behind the bits of
 * spur_loc.gate, with the guard up, and on a location that is owned.
 */
#ifndef SPUR_HOOKS_H
#define SPUR_HOOKS_H

#include <otf2/otf2.h>

#include "agent/record/location.h"
#include "agent/spur_agent.h"

struct spur_site;

struct spur_hooks {
    /* A location is new, and no other thread sees it: its gate may get more bits. And: it is freed.
     */
    void (*opened)(struct spur_loc *loc);
    void (*freed)(struct spur_loc *loc);
    /* The calling thread gets it. And: any thread is about to close it: there are no more events.
     */
    void (*adopted)(struct spur_loc *loc);
    void (*closing)(struct spur_loc *loc);
    /* The calling thread is about to give it up. */
    void (*thread_ends)(void);
    /* In a child of fork(), while the parent's locations are still listed. */
    void (*forked)(struct spur_loc *first);
    /* A region is entered by a call of that family: before the clock is read, */
    void (*entering)(struct spur_loc *loc, uint8_t family);
    /* and right before the Enter, at whose time records can be written. The same of a Leave. */
    void (*entered)(struct spur_loc *loc);
    void (*leaving)(struct spur_loc *loc);
    /* SPUR_GATE_STACKS: the calling context of the region that is entered, or undefined. */
    uint32_t (*context)(struct spur_loc *loc, OTF2_RegionRef region);
    /* SPUR_GATE_SITES: what the location's table of sites does not tell, see call_site.h. */
    const struct spur_site *(*site)(struct spur_loc *loc, struct spur_caller caller);
    /* A lock has got a number. */
    void (*new_lock)(uint32_t id, const void *lock);
    /*
     * spur_loc_has_places(): the region of the word at that depth stays open while the program goes
     * on. Its place in the stack is where the thread is now; or where it is found to be, which
     * takes no stack. And: what had a place from that depth on is closed, or has none.
     */
    void (*placed)(struct spur_loc *loc, uint32_t depth, uint32_t word, bool is_later);
    void (*unplaced)(struct spur_loc *loc, uint32_t depth);
    /* spur_self has samples that are pending or held: the next records are of that time. */
    void (*settle)(struct spur_loc *loc, uint64_t time);
};

extern const struct spur_hooks spur_hooks;

/*
 * Before the location's time goes on to that one: samples of the time before are written, behind
 * the records that carry it.
 */
static inline __attribute__((always_inline)) void spur_samples_settle(struct spur_loc *loc,
                                                                      uint64_t time)
{
    const struct spur_thread_state *self = &spur_self;
    if (__builtin_expect(self->pending | self->held, 0) && loc == self->loc)
        spur_hooks.settle(loc, time);
}

#endif
