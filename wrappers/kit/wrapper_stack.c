/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper_stack.h"

#include <errno.h>
#include <string.h>

struct entry {
    void *key;
    OTF2_RegionRef (*find)(void *key); /* NULL: a function, which ends before what called it */
    uint32_t mark;                     /* SPUR_NOT_OPEN: it was not recorded */
    enum spur_family family;
};

struct stack {
    struct entry *at;
    uint32_t n, room;
    uint32_t generation; /* of the process: a child of fork() has nothing open */
};

static _Thread_local struct stack stack;
static bool is_on[SPUR_FAMILIES];

/* The thread's end. Its regions are closed by the agent. */
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

void wrapper_stack_enter(enum spur_family family, void *key, OTF2_RegionRef (*find)(void *key))
{
    struct entry entry = {key, family == SPUR_FAMILY_USER ? find : NULL, SPUR_NOT_OPEN, family};
    if (!is_on[family])
        return;
    struct spur_loc *loc = spur_begin(family, false);
    if (!loc) {
        if (spur_inside())
            return; /* its leave is, too */
        spur_inside_begin();
    }
    int saved = errno;
    renew();
    if (has_room()) {
        if (loc)
            entry.mark = spur_open_region(loc, find(key));
        stack.at[stack.n++] = entry;
    }
    errno = saved;
    if (loc)
        spur_end(loc);
    else
        spur_inside_end();
}

/* One more than its place, 0: it is not open. */
static uint32_t find_key(const void *key)
{
    uint32_t i = stack.n;
    while (i > 0 && stack.at[i - 1].key != key)
        i--;
    return i;
}

/*
 * A function has returned, the one at `place`, that has entered regions for its caller: these are
 * left with it, for all nests, and entered again.
 */
static void enter_again(struct spur_loc *loc, uint32_t place)
{
    uint32_t n = place;
    for (uint32_t i = place; i <= stack.n; i++) {
        struct entry entry = stack.at[i - 1];
        if (!entry.find)
            continue;
        if (loc && entry.mark != SPUR_NOT_OPEN)
            entry.mark = spur_open_region(loc, entry.find(entry.key));
        stack.at[n++ - 1] = entry;
    }
    stack.n = n - 1;
}

/* One more than the place of the outermost one of the family, 0: there is none. */
static uint32_t find_family(enum spur_family family)
{
    uint32_t i = 0;
    while (i < stack.n && stack.at[i].family != family)
        i++;
    return i < stack.n ? i + 1 : 0;
}

void wrapper_stack_leave(enum spur_family family, const void *key)
{
    if (!is_on[family])
        return;
    struct spur_loc *loc = spur_begin(family, true);
    if (!loc) {
        if (spur_inside())
            return;
        spur_inside_begin();
    }
    renew();
    uint32_t place = key ? find_key(key) : find_family(family);
    if (place) {
        if (loc && stack.at[place - 1].mark != SPUR_NOT_OPEN)
            spur_close(loc, stack.at[place - 1].mark);
        if (family == SPUR_FAMILY_USER)
            stack.n = place - 1;
        else
            enter_again(loc, place);
    }
    if (loc)
        spur_end(loc);
    else
        spur_inside_end();
}
