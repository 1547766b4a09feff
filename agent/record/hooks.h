/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What other rooms do at events: metrics, stacks, samples. This room does not know them;
 * agent/process/hooks.c lists them. They are called on the long way only, behind the bits of
 * spur_loc.gate, with the guard up, and on a location that is owned.
 */
#ifndef SPUR_HOOKS_H
#define SPUR_HOOKS_H

#include <otf2/otf2.h>

#include "agent/spur_agent.h"

struct spur_loc;
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
    /* spur_self.pending is not 0, and a region is open. */
    void (*settle)(struct spur_loc *loc);
};

extern const struct spur_hooks spur_hooks;

#endif
