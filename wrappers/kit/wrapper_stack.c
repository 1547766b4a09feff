/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper_stack.h"

#include <errno.h>
#include <string.h>

struct entry {
    void *key;
    OTF2_RegionRef (*find)(void *key); /* NULL: a function, which ends before its caller */
    uint32_t mark;                     /* SPUR_NOT_OPEN: the entry was not recorded */
    enum spur_family family;
    uint32_t owner; /* of a range; 0: no range */
    int level;      /* of a range, among the ranges of the owner */
};

struct stack {
    struct entry *at;
    uint32_t n, room;
    uint32_t generation; /* of the process: a child of fork() has nothing open */
};

static _Thread_local struct stack stack;
static bool is_on[SPUR_FAMILIES];

/* The end of the thread. The agent closes the regions of the thread. */
static void forget(void)
{
    spur_mem_free(stack.at, stack.room * sizeof *stack.at);
    stack = (struct stack){.at = NULL};
}

__attribute__((constructor)) static void start(void)
{
    is_on[SPUR_FAMILY_USER] = spur_wraps(SPUR_FAMILY_USER);
    is_on[SPUR_FAMILY_COMPILER] = spur_wraps(SPUR_FAMILY_COMPILER);
    spur_thread_at_end(forget);
}

void wrapper_stack_take(enum spur_family family)
{
    is_on[family] = true;
}

static bool has_room(void)
{
    enum { FIRST_ROOM = 32 };
    if (stack.n < stack.room)
        return true;
    uint32_t room = stack.room ? 2 * stack.room : FIRST_ROOM;
    struct entry *grown = spur_mem_new(room * sizeof *grown);
    if (!grown)
        return false;
    if (stack.n)
        memcpy(grown, stack.at, stack.n * sizeof *grown);
    spur_mem_free(stack.at, stack.room * sizeof *grown);
    stack.at = grown;
    stack.room = room;
    return true;
}

static void renew(void)
{
    uint32_t generation = spur_generation();
    if (stack.generation == generation)
        return;
    for (uint32_t i = 0; i < stack.n; i++)
        stack.at[i].mark = SPUR_NOT_OPEN;
    stack.generation = generation;
}

/*
 * True: the call may change the stack. *loc: the location that records the call, or NULL. False:
 * the family is off, or the thread is within a recorded call. In the second case the end of the
 * entered region will be within a recorded call, too.
 */
static bool begin(enum spur_family family, bool is_end, struct spur_loc **loc)
{
    if (!is_on[family])
        return false;
    *loc = spur_begin(family, is_end);
    if (!*loc) {
        if (spur_inside())
            return false;
        spur_inside_begin();
    }
    renew();
    return true;
}

static void end(struct spur_loc *loc)
{
    if (loc)
        spur_end(loc);
    else
        spur_inside_end();
}

void wrapper_stack_enter(enum spur_family family, void *key, OTF2_RegionRef (*find)(void *key))
{
    struct entry entry = {.key = key,
                          .find = family == SPUR_FAMILY_USER ? find : NULL,
                          .mark = SPUR_NOT_OPEN,
                          .family = family};
    struct spur_loc *loc;
    if (!begin(family, false, &loc))
        return;
    int saved = errno;
    if (has_room()) {
        if (loc)
            entry.mark = spur_open_region(loc, find(key));
        stack.at[stack.n++] = entry;
    }
    errno = saved;
    end(loc);
}

/* The place of the entry plus one; 0: the key is not open. */
static uint32_t find_key(const void *key)
{
    uint32_t i = stack.n;
    while (i > 0 && stack.at[i - 1].key != key)
        i--;
    return i;
}

/*
 * The function at `place` has returned, after it entered regions for its caller. The agent leaves
 * the regions together with the function, so that all regions nest. Here the regions are entered
 * again.
 */
static void enter_again(struct spur_loc *loc, uint32_t place)
{
    uint32_t n = place;
    for (uint32_t i = place + 1; i <= stack.n; i++) {
        struct entry entry = stack.at[i - 1];
        if (!entry.find)
            continue;
        if (loc && entry.mark != SPUR_NOT_OPEN)
            entry.mark = spur_open_region(loc, entry.find(entry.key));
        stack.at[n++ - 1] = entry;
    }
    stack.n = n - 1;
}

/* The place plus one of the outermost entry of the family; 0: the family has no entry. */
static uint32_t find_family(enum spur_family family)
{
    uint32_t i = 0;
    while (i < stack.n && stack.at[i].family != family)
        i++;
    return i < stack.n ? i + 1 : 0;
}

void wrapper_stack_leave(enum spur_family family, const void *key)
{
    struct spur_loc *loc;
    if (!begin(family, true, &loc))
        return;
    uint32_t place = key ? find_key(key) : find_family(family);
    if (place) {
        if (loc && stack.at[place - 1].mark != SPUR_NOT_OPEN)
            spur_close(loc, stack.at[place - 1].mark);
        if (family == SPUR_FAMILY_USER)
            stack.n = place - 1;
        else
            enter_again(loc, place);
    }
    end(loc);
}

/* ---- ranges ---- */

/* The place plus one of the innermost range of the owner; 0: the owner has no range. */
static uint32_t find_range(enum spur_family family, uint32_t owner)
{
    uint32_t i = stack.n;
    while (i > 0 && (stack.at[i - 1].owner != owner || stack.at[i - 1].family != family))
        i--;
    return i;
}

static void open_range(struct spur_loc *loc, const struct wrapper_range *range, struct entry *entry)
{
    struct wrapper_opening opening = {.region = OTF2_UNDEFINED_REGION};
    range->describe(range->data, &opening);
    entry->key = opening.key;
    entry->mark = spur_open_region_with(loc, opening.region, opening.n, opening.attribute);
}

int wrapper_stack_push(const struct wrapper_range *range)
{
    struct entry entry = {.find = range->find,
                          .mark = SPUR_NOT_OPEN,
                          .family = range->family,
                          .owner = range->owner,
                          .level = -1};
    struct spur_loc *loc;
    if (!begin(range->family, false, &loc))
        return -1;
    int saved = errno;
    if (has_room()) {
        uint32_t around = find_range(range->family, range->owner);
        entry.level = around ? stack.at[around - 1].level + 1 : 0;
        if (loc)
            open_range(loc, range, &entry);
        stack.at[stack.n++] = entry;
    }
    errno = saved;
    end(loc);
    return entry.level;
}

int wrapper_stack_pop(enum spur_family family, uint32_t owner)
{
    struct spur_loc *loc;
    int level = -1;
    if (!begin(family, true, &loc))
        return -1;
    int saved = errno;
    uint32_t place = find_range(family, owner);
    if (place) {
        level = stack.at[place - 1].level;
        if (loc && stack.at[place - 1].mark != SPUR_NOT_OPEN)
            spur_close(loc, stack.at[place - 1].mark);
        enter_again(loc, place);
    }
    errno = saved;
    end(loc);
    return level;
}
