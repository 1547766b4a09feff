/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts that an archive declares as missing: the beginning of a location (SPUR::DROPPED_EVENTS,
 * of a ring buffer), the end of a process (SPUR::STOPPED, or a dead process: SPUR::DEAD_PROCESSES),
 * a whole rank (SPUR::MISSING_RANKS), the time after a snapshot (SPUR::SNAPSHOT). Missing partners
 * are then no faults. Everything that a location's events tell alone, such as nesting, times and
 * counts, is judged as ever.
 */
#include <stdlib.h>
#include <string.h>

#include "session/properties.h"
#include "tools/check/check.h"

/* Rules broken by the loss of events at a location, with faults seen at any location. */
static const enum rule explained[] = {
    RULE_COMM_CREATE,     RULE_COMM_USE,         RULE_REQUEST_TWICE,     RULE_REQUEST_UNKNOWN,
    RULE_REQUEST_OPEN,    RULE_REQUEST_THREAD,   RULE_MESSAGE_UNMATCHED, RULE_MESSAGE_SIZE,
    RULE_MESSAGE_TIME,    RULE_COLLECTIVE_ORDER, RULE_COLLECTIVE_COUNT,  RULE_COLLECTIVE_ROOT,
    RULE_COLLECTIVE_SIZE, RULE_COLLECTIVE_TIME,  RULE_THREAD_PAIR,       RULE_TASK,
    RULE_LOCK_ORDER,      RULE_LOCK_OWNER,       RULE_LOCK_EXCLUSION,    RULE_RMA_WINDOW,
    RULE_RMA_OPERATION,   RULE_RMA_OPEN,         RULE_RMA_LOCK,          RULE_IO_HANDLE,
    RULE_IO_OPERATION,    RULE_IO_OPEN,          RULE_IO_ACCESS,         RULE_IO_ISSUED,
    RULE_IO_COLLECTIVE,   RULE_IO_LOCK,          RULE_IO_LOCK_TYPE,      RULE_IO_UNDER_WAY,
    RULE_DEVICE_CALL,     RULE_TASK_LEFT,
};

/* The same, for the unfinished work of a dead process. */
static const enum rule explained_dead[] = {
    RULE_EVENT_NONE,
    RULE_MESSAGE_LEFT,
    RULE_THREAD_LEFT,
    RULE_IO_INSIDE,
};

/* The same for the loss of the location's own beginning. */
static const enum rule explained_here[] = {
    RULE_COLLECTIVE_NESTING,
    RULE_RMA_COLLECTIVE,
    RULE_MEASUREMENT,
    RULE_MEMORY_BLOCK,
};

struct lost {
    bool is_incomplete;
    bool has_dead;       /* processes without an end in order */
    bool lacks_ranks;    /* ranks without any files */
    uint64_t *locations; /* whose beginning is lost */
    size_t n, room;
};

static bool is_listed(enum rule rule, const enum rule *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rules[i] == rule)
            return true;
    return false;
}

static void lose_location(struct lost *lost, uint64_t location)
{
    lost->locations = list_grow(lost->locations, &lost->room, lost->n + 1, sizeof *lost->locations);
    lost->locations[lost->n++] = location;
    lost->is_incomplete = true;
}

static void note_definition(struct check *c, struct lost *lost, const struct definition *d)
{
    const struct otf2_def_LocationProperty *location = d->data;
    const struct otf2_def_LocationGroupProperty *group = d->data;
    if (d->record == OTF2_DEF_LocationProperty &&
        strcmp(text_of(c, location->name), SPUR_SAYS_DROPPED_EVENTS) == 0 &&
        location->type == OTF2_TYPE_UINT64 && location->value.uint64)
        lose_location(lost, location->location);
    if (d->record == OTF2_DEF_LocationGroupProperty &&
        strcmp(text_of(c, group->name), SPUR_SAYS_STOPPED) == 0)
        lost->is_incomplete = true;
}

bool lost_may_explain(enum rule rule)
{
    return is_listed(rule, explained, sizeof explained / sizeof explained[0]) ||
           is_listed(rule, explained_dead, sizeof explained_dead / sizeof explained_dead[0]) ||
           is_listed(rule, explained_here, sizeof explained_here / sizeof explained_here[0]);
}

static bool explains(const void *context, enum rule rule, struct place where)
{
    const struct lost *lost = context;
    if (lost->lacks_ranks && rule == RULE_EVENT_NONE)
        return true;
    if ((lost->is_incomplete || lost->has_dead) &&
        is_listed(rule, explained_dead, sizeof explained_dead / sizeof explained_dead[0]))
        return true;
    if (!lost->is_incomplete)
        return false;
    if (is_listed(rule, explained, sizeof explained / sizeof explained[0]))
        return true;
    if (!where.has_location ||
        !is_listed(rule, explained_here, sizeof explained_here / sizeof explained_here[0]))
        return false;
    for (size_t i = 0; i < lost->n; i++)
        if (lost->locations[i] == where.location)
            return true;
    return false;
}

/* Does the archive count any? */
static bool counts(const struct check *c, const char *name)
{
    const struct otf2_property *property =
        otf2_property_find(c->anchor.properties, c->anchor.nproperties, name);
    return property && strcmp(property->value, "0") != 0;
}

void lost_begin(struct check *c)
{
    struct lost *lost = c->lost = take_memory(sizeof *lost);
    for (size_t i = 0; i < c->n_all; i++)
        note_definition(c, lost, &c->all[i]);
    lost->has_dead = counts(c, SPUR_SAYS_DEAD_PROCESSES);
    lost->lacks_ranks = counts(c, SPUR_SAYS_MISSING_RANKS);
    if (otf2_property_find(c->anchor.properties, c->anchor.nproperties, SPUR_SAYS_SNAPSHOT)) {
        lost->is_incomplete = true;
        c->allows_unfinished = true;
    }
    c->verdict->explains = explains;
    c->verdict->context = lost;
}

void lost_finish(struct check *c)
{
    c->verdict->explains = NULL;
    free(c->lost->locations);
    free(c->lost);
}
