/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fake agent for the tests of wrappers: memory, the guard, locks, and what is made of other
 * calls. What a family's tests look at is noted by its own file (mpi_agent.h, pthread_agent.h,
 * openmp_agent.h). The rest of the contract, agent/spur_agent.h, does nothing and returns 0: weak
 * functions that tests/unit/fake_agent makes of the contract itself.
 */
#ifndef TESTS_FAKE_AGENT_H
#define TESTS_FAKE_AGENT_H

#include <dlfcn.h>
#include <stdlib.h>

#include <otf2/otf2_foreach.h>

#include "agent/spur_agent.h"

static _Atomic long agent_bytes;          /* of the agent's memory in use */
static _Thread_local int agent_depth;     /* the guard */
static _Atomic uint32_t agent_orders;     /* acquisitions so far, of all locks */
static _Atomic int agent_releases;        /* of locks */
static bool agent_is_cut;                 /* acquisitions are left before they have a record */
static void *(*agent_real)(const char *); /* NULL: the next definition */

void *spur_mem_new(size_t bytes)
{
    agent_bytes += (long)bytes;
    return calloc(1, bytes);
}

void spur_mem_free(void *mem, size_t bytes)
{
    agent_bytes -= mem ? (long)bytes : 0;
    free(mem);
}

/* Doors lead nowhere, and no signal comes. */
void spur_on_own_stack(void (*call)(void *arg), void *arg)
{
    call(arg);
}

bool spur_quiet_mask(uint64_t *mask)
{
    *mask = 0;
    return false;
}

void *spur_real(const char *name, const char *version)
{
    void *real = version && !agent_real ? dlvsym(RTLD_NEXT, name, version) : NULL;
    if (real)
        return real;
    return agent_real ? agent_real(name) : dlsym(RTLD_NEXT, name);
}

void spur_inside_begin(void)
{
    agent_depth++;
}

void spur_inside_end(void)
{
    agent_depth--;
}

bool spur_inside(void)
{
    return agent_depth != 0;
}

struct spur_hold spur_lock_acquired(struct spur_loc *loc, const void *lock)
{
    (void)loc, (void)lock;
    return (struct spur_hold){.order = atomic_fetch_add(&agent_orders, 1) + 1};
}

void spur_lock_released(const struct spur_loc *loc, const struct spur_hold *hold)
{
    (void)loc, (void)hold;
    atomic_fetch_add(&agent_releases, 1);
}

/* ---- several calls in one ---- */

void spur_leave_now(struct spur_loc *loc, struct spur_call *call)
{
    spur_tick(loc);
    spur_leave(loc, call);
}

struct spur_loc *spur_enter_release(struct spur_call *call, const struct spur_hold *hold,
                                    struct spur_caller caller)
{
    struct spur_loc *loc = spur_enter_from(call, caller);
    if (loc) {
        spur_put_ThreadReleaseLock(loc, call->paradigm, hold->id, hold->order);
        spur_lock_released(loc, hold);
    }
    return loc;
}

void spur_leave_acquired(struct spur_loc *loc, struct spur_call *call, const void *lock,
                         struct spur_hold *hold)
{
    spur_tick(loc);
    if (!agent_is_cut)
        *hold = spur_lock_acquired(loc, lock);
    if (!agent_is_cut)
        spur_put_ThreadAcquireLock(loc, call->paradigm, hold->id, hold->order);
    spur_leave(loc, call);
}

#define AGENT_PARAM(Row, kind, name) , otf2_t_##kind name
#define AGENT_ARGUMENT(Row, kind, name) , name
#define AGENT_LEAVE_AFTER(Name, ...)                                                               \
    void spur_leave_after_##Name(struct spur_loc *loc,                                             \
                                 struct spur_call *call OTF2_SEQ(AGENT_PARAM, Name, "",            \
                                                                 __VA_ARGS__))                     \
    {                                                                                              \
        spur_put_##Name(loc OTF2_SEQ(AGENT_ARGUMENT, Name, "", __VA_ARGS__));                      \
        spur_leave(loc, call);                                                                     \
    }
SPUR_LEAVES_AFTER(AGENT_LEAVE_AFTER)

#endif
