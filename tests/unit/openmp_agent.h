/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the fake agent notes for the tests of wrappers/openmp. Each thread's records are one line of
 * words:
 *     +name@4 -name@4   Enter, Leave of the construct at address 4
 *     <3 >              ThreadFork for 3 threads, ThreadJoin
 *     [0 ]0             ThreadTeamBegin, ThreadTeamEnd of communicator 0
 *     new on done       ThreadTaskCreate, -Switch, -Complete, with team:creator.generation
 *     lock1 unlock1     ThreadAcquireLock, ThreadReleaseLock, with the order
 *     *0:2              the thread is the one at position 2 of team 0
 */
#ifndef TESTS_OPENMP_AGENT_H
#define TESTS_OPENMP_AGENT_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake_agent.h"

enum { LOG_BYTES = 4096, OPEN_MAX = 64, REGIONS = 256, NAME_BYTES = 64 };

struct spur_loc {
    char log[LOG_BYTES];
    uint32_t depth;
    char open[OPEN_MAX][NAME_BYTES]; /* how each ends */
    char name[NAME_BYTES];
};

static _Thread_local struct spur_loc agent_loc;
static _Atomic bool agent_is_paused;
static _Atomic uint32_t agent_generation;
static _Atomic uint32_t agent_teams;
static _Atomic uint32_t agent_regions;
static char agent_region[REGIONS][NAME_BYTES];
static void (*agent_at_end)(void);

__attribute__((format(printf, 1, 2))) static void agent_note(const char *format, ...)
{
    size_t at = strlen(agent_loc.log);
    va_list args;
    va_start(args, format);
    vsnprintf(agent_loc.log + at, LOG_BYTES - at, format, args);
    va_end(args);
    strncat(agent_loc.log, " ", LOG_BYTES - strlen(agent_loc.log) - 1);
}

/* What the thread has recorded since the last time is `text`. */
static void agent_expect(const char *text)
{
    cr_expect_str_eq(agent_loc.log, text, "'%s', not '%s'", agent_loc.log, text);
    agent_loc.log[0] = '\0';
}

struct spur_loc *spur_begin_at(enum spur_family family, bool is_end, uint64_t time)
{
    (void)time;
    cr_assert_eq(family, SPUR_FAMILY_OPENMP);
    if (agent_depth || (agent_is_paused && !is_end))
        return NULL;
    agent_depth = 1;
    return &agent_loc;
}

void spur_end(struct spur_loc *loc)
{
    cr_assert_eq(loc, &agent_loc);
    agent_depth = 0;
}

static uint32_t agent_open(const char *begin, const char *end)
{
    agent_note("%s", begin);
    snprintf(agent_loc.open[agent_loc.depth], NAME_BYTES, "%s", end);
    return agent_loc.depth++;
}

uint32_t spur_open_region(struct spur_loc *loc, OTF2_RegionRef region)
{
    char begin[NAME_BYTES + 2], end[NAME_BYTES + 2];
    (void)loc;
    snprintf(begin, sizeof begin, "+%s", agent_region[region]);
    snprintf(end, sizeof end, "-%s", agent_region[region]);
    return agent_open(begin, end);
}

uint32_t spur_open_team(struct spur_loc *loc, OTF2_CommRef team)
{
    char begin[NAME_BYTES], end[NAME_BYTES];
    (void)loc;
    snprintf(begin, sizeof begin, "[%u", team);
    snprintf(end, sizeof end, "]%u", team);
    return agent_open(begin, end);
}

uint32_t spur_open_fork(struct spur_loc *loc, OTF2_Paradigm paradigm, uint32_t requested)
{
    char begin[NAME_BYTES];
    (void)loc, (void)paradigm;
    snprintf(begin, sizeof begin, "<%u", requested);
    return agent_open(begin, ">");
}

void spur_close(struct spur_loc *loc, uint32_t mark)
{
    while (loc->depth > mark)
        agent_note("%s", loc->open[--loc->depth]);
}

OTF2_RegionRef spur_def_region_at(const struct spur_construct *construct, const void *address)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s@%u", construct->name, (unsigned)(uintptr_t)address);
    for (uint32_t i = 0; i < agent_regions; i++)
        if (strcmp(agent_region[i], name) == 0)
            return i;
    uint32_t region = atomic_fetch_add(&agent_regions, 1);
    cr_assert_lt(region, REGIONS);
    memcpy(agent_region[region], name, sizeof name);
    return region;
}

OTF2_CommRef spur_def_team(OTF2_CommRef parent, uint32_t *number)
{
    (void)parent;
    *number = atomic_fetch_add(&agent_teams, 1);
    return *number;
}

void spur_def_team_member(const struct spur_loc *loc, uint32_t number, uint32_t position)
{
    (void)loc;
    agent_note("*%u:%u", number, position);
}

#define TASK(Name, word)                                                                           \
    void spur_put_ThreadTask##Name(struct spur_loc *loc, OTF2_CommRef team, uint32_t creator,      \
                                   uint32_t generation)                                            \
    {                                                                                              \
        (void)loc;                                                                                 \
        agent_note("%s %u:%u.%u", word, team, creator, generation);                                \
    }
TASK(Create, "new")
TASK(Switch, "on")
TASK(Complete, "done")

#define LOCK(Name, word)                                                                           \
    void spur_put_Thread##Name##Lock(struct spur_loc *loc, OTF2_Paradigm paradigm, uint32_t id,    \
                                     uint32_t order)                                               \
    {                                                                                              \
        (void)loc, (void)id;                                                                       \
        cr_assert_eq(paradigm, OTF2_PARADIGM_OPENMP);                                              \
        agent_note("%s%u", word, order);                                                           \
    }
LOCK(Acquire, "lock")
LOCK(Release, "unlock")

struct spur_loc *spur_enter_from(struct spur_call *call, struct spur_caller caller)
{
    (void)caller;
    if (agent_depth || agent_is_paused)
        return NULL;
    agent_depth = 1;
    agent_note("+%s", call->name);
    return &agent_loc;
}

void spur_leave(struct spur_loc *loc, struct spur_call *call)
{
    agent_note("-%s", call->name);
    spur_end(loc);
}

uint64_t spur_time(void)
{
    return 1;
}

uint32_t spur_generation(void)
{
    return agent_generation;
}

void spur_thread_at_end(void (*call)(void))
{
    agent_at_end = call;
}

void spur_thread_name(const char *name)
{
    snprintf(agent_loc.name, NAME_BYTES, "%s", name);
}

bool spur_wraps(enum spur_family family)
{
    return family == SPUR_FAMILY_OPENMP;
}

bool spur_process_property(const char *name, const char *value)
{
    (void)name, (void)value;
    return true;
}

#endif
