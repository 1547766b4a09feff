/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The work of other folders at events: metrics, stacks, samples. This folder does not know the
 * functions; agent/process/hooks.c lists them. All are called on the long way only, behind the bits
 * of spur_loc.gate, with the guard up, and on an owned location.
 */
#ifndef SPUR_HOOKS_H
#define SPUR_HOOKS_H

#include <otf2/otf2.h>

#include "agent/record/location.h"
#include "agent/spur_agent.h"

struct spur_site;

struct spur_hooks {
    /* A location is new, seen by no other thread: its gate may get more bits. And: a location is
     * freed. */
    void (*opened)(struct spur_loc *loc);
    void (*freed)(struct spur_loc *loc);
    /* The calling thread gets the location. And: any thread is about to close the location, without
     * further events. */
    void (*adopted)(struct spur_loc *loc);
    void (*closing)(struct spur_loc *loc);
    /* The calling thread is about to give its location up. */
    void (*thread_ends)(void);
    /* In a child of fork(), while the parent's locations are still listed. */
    void (*forked)(struct spur_loc *first);
    /* A call of the family enters a region: before the clock is read, */
    void (*entering)(struct spur_loc *loc, uint8_t family);
    /* and right before the Enter; records at the Enter's time can be written. The same for a
     * Leave. */
    void (*entered)(struct spur_loc *loc);
    void (*leaving)(struct spur_loc *loc);
    /* SPUR_GATE_STACKS: the calling context of the entered region, or undefined. */
    uint32_t (*context)(struct spur_loc *loc, OTF2_RegionRef region);
    /* SPUR_GATE_SITES: a site missing in the location's table of sites, see call_site.h. */
    const struct spur_site *(*site)(struct spur_loc *loc, struct spur_caller caller);
    /* A lock has got a number. */
    void (*new_lock)(uint32_t id, const void *lock);
    /*
     * spur_loc_has_places(): the region of `word` at `depth` stays open while the program goes on.
     * The place of the region in the stack is the present place of the thread; or (`is_later`) the
     * place is found later, without a stack now. And: all regions with a place from `depth` on are
     * closed, or have none.
     */
    void (*placed)(struct spur_loc *loc, uint32_t depth, uint32_t word, bool is_later);
    void (*unplaced)(struct spur_loc *loc, uint32_t depth);
    /* spur_self has pending or held samples: the next records have the time `time`. */
    void (*settle)(struct spur_loc *loc, uint64_t time);
};

extern const struct spur_hooks spur_hooks;

/*
 * Before the location's time goes on to `time`: samples of the time before are written, behind the
 * records with that time.
 */
static inline __attribute__((always_inline)) void spur_samples_settle(struct spur_loc *loc,
                                                                      uint64_t time)
{
    const struct spur_thread_state *self = &spur_self;
    if (__builtin_expect(self->pending | self->held, 0) && loc == self->loc)
        spur_hooks.settle(loc, time);
}

#endif
