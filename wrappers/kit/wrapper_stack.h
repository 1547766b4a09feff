/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions that a thread has entered by its own word, innermost last, recorded or not: a pause
 * may begin or end while regions are open, and a region entered in the pause has no Leave. A
 * dropped frame (by longjmp(), say) goes when a frame around is left.
 */
#ifndef WRAPPERS_KIT_WRAPPER_STACK_H
#define WRAPPERS_KIT_WRAPPER_STACK_H

#include "agent/spur_agent.h"

/* Once, at the start, for a family that is on; `user` and `compiler` need no such call. */
void wrapper_stack_take(enum spur_family family);

/*
 * Enter `region` of `family`, with `key` for the leave. The caller does not hold the guard. `find`
 * is called with `key` and the guard up, when the region is recorded.
 */
void wrapper_stack_enter(enum spur_family family, void *key, OTF2_RegionRef (*find)(void *key));
/* Does nothing if the key is not open. NULL: all regions that the family has entered. */
void wrapper_stack_leave(enum spur_family family, const void *key);

/*
 * Ranges: regions that a program enters in the stacks of several owners, by a number from 1 on, and
 * leaves without a key. `describe` is called with `data` and the guard up, when the region is
 * recorded. `find` as above, with the key, if the region is entered once more since another region
 * around was left.
 */
struct wrapper_opening {
    void *key;
    OTF2_RegionRef region;
    uint32_t n;
    struct spur_attribute attribute[SPUR_RANGE_ATTRIBUTES];
};

/* Add an attribute; nothing is added if the attribute could not be defined. */
static inline void wrapper_opening_add(struct wrapper_opening *opening, OTF2_AttributeRef id,
                                       OTF2_Type type, OTF2_AttributeValue value)
{
    if (id != OTF2_UNDEFINED_ATTRIBUTE)
        opening->attribute[opening->n++] = (struct spur_attribute){id, type, value};
}

struct wrapper_range {
    enum spur_family family;
    uint32_t owner;
    void (*describe)(const void *data, struct wrapper_opening *opening);
    const void *data;
    OTF2_RegionRef (*find)(void *key);
};

/* The level of the range in the owner's stack, from 0 on. -1: the thread is inside a recorded call,
 * or there is no memory: ranges are not followed. */
int wrapper_stack_push(const struct wrapper_range *range);
/* The level of the owner's innermost range, which ends. -1 also without a range. */
int wrapper_stack_pop(enum spur_family family, uint32_t owner);

#endif
