/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fake agent for the tests of wrappers/pthread: it remembers what it was told as lines of text.
 * The test programs themselves are wrapped, Criterion included, so it records only in between
 * agent_on and what that thread calls.
 */
#ifndef TESTS_PTHREAD_AGENT_H
#define TESTS_PTHREAD_AGENT_H

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/spur_agent.h"
#include "tests/unit/agent_doors.h"
#include "tests/unit/agent_waits.h"

enum { LINES = 4096, LINE_BYTES = 96, LOCKS = 16 };

struct spur_loc {
    int depth;
    int number;
};

struct spur_thread {
    uint64_t sequence;
    _Atomic int users; /* the creator's side and the thread itself */
};

static _Atomic bool agent_on;
static _Atomic int agent_lines;
static char agent_log[LINES][LINE_BYTES];
static _Atomic int agent_threads;
static _Atomic long agent_bytes; /* of the agent's memory that are in use */
static _Atomic int agent_handles;
static _Atomic uint32_t agent_orders;
static _Atomic int agent_releases; /* that the agent was told of */
static __thread struct spur_loc agent_loc;
static __thread bool agent_is_over;
static __thread struct spur_thread *agent_thread;

/* "<thread>: <text>", threads numbered as they are first seen. */
__attribute__((format(printf, 1, 2))) static void agent_note(const char *format, ...)
{
    int line = atomic_fetch_add(&agent_lines, 1);
    if (line >= LINES)
        return;
    if (!agent_loc.number)
        agent_loc.number = atomic_fetch_add(&agent_threads, 1) + 1;
    int n = snprintf(agent_log[line], LINE_BYTES, "%d: ", agent_loc.number);
    va_list args;
    va_start(args, format);
    vsnprintf(agent_log[line] + n, LINE_BYTES - (size_t)n, format, args);
    va_end(args);
}

/* How often a line that contains `text` was noted. */
static int agent_count(const char *text)
{
    int n = 0;
    for (int i = 0; i < agent_lines && i < LINES; i++)
        n += strstr(agent_log[i], text) != NULL;
    return n;
}

/* Line `i` is `text`. */
static void agent_expect(int i, const char *text)
{
    cr_expect_str_eq(agent_log[i], text, "line %d is '%s', not '%s'", i, agent_log[i], text);
}

void spur_thread_untold(void)
{
}

struct spur_loc *spur_enter(struct spur_call *call)
{
    if (!agent_on || agent_is_over || agent_loc.depth)
        return NULL;
    agent_loc.depth = 1;
    agent_note("enter %s", call->name);
    return &agent_loc;
}

void spur_leave(struct spur_loc *loc, struct spur_call *call)
{
    agent_note("leave %s", call->name);
    loc->depth = 0;
}

void spur_tick(struct spur_loc *loc)
{
    (void)loc;
}

void spur_inside_begin(void)
{
    agent_loc.depth++;
}

void spur_inside_end(void)
{
    agent_loc.depth--;
}

bool spur_inside(void)
{
    return agent_loc.depth != 0;
}

void spur_put_ThreadWait(struct spur_loc *loc, OTF2_CommRef contingent, uint64_t sequence)
{
    (void)loc, (void)contingent;
    agent_note("wait %d", (int)sequence);
}

void spur_put_ThreadAcquireLock(struct spur_loc *loc, OTF2_Paradigm model, uint32_t id,
                                uint32_t order)
{
    (void)loc, (void)model;
    agent_note("acquire %u", order);
    cr_expect_lt(id, LOCKS);
}

void spur_put_ThreadReleaseLock(struct spur_loc *loc, OTF2_Paradigm model, uint32_t id,
                                uint32_t order)
{
    (void)loc, (void)model;
    agent_note("release %u", order);
    cr_expect_lt(id, LOCKS);
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

void spur_leave_now(struct spur_loc *loc, struct spur_call *call)
{
    spur_tick(loc);
    spur_leave(loc, call);
}

struct spur_loc *spur_enter_release(struct spur_call *call, const struct spur_hold *hold)
{
    struct spur_loc *loc = spur_enter(call);
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
    *hold = spur_lock_acquired(loc, lock);
    spur_put_ThreadAcquireLock(loc, call->paradigm, hold->id, hold->order);
    spur_leave(loc, call);
}

void spur_object_forget(const void *object)
{
    (void)object;
    agent_note("forget");
}

struct spur_thread *spur_thread_new(OTF2_CommRef *group, uint64_t *sequence)
{
    static _Atomic int made;
    struct spur_thread *thread = calloc(1, sizeof *thread);
    *group = 7;
    *sequence = thread->sequence = (uint64_t)atomic_fetch_add(&made, 1) + 1;
    thread->users = 2;
    atomic_fetch_add(&agent_handles, 1);
    return thread;
}

static bool agent_is_told = true; /* threads are, of which this is asked */

bool spur_thread_is_told(const struct spur_thread *thread)
{
    return thread && agent_is_told;
}

void spur_thread_release(struct spur_thread *thread)
{
    if (atomic_fetch_sub(&thread->users, 1) > 1)
        return;
    atomic_fetch_sub(&agent_handles, 1);
    free(thread);
}

void spur_thread_cancel(struct spur_thread *thread)
{
    agent_note("cancel");
    atomic_fetch_sub(&agent_handles, 1);
    free(thread);
}

void spur_thread_created(struct spur_loc *creator, struct spur_thread *thread)
{
    (void)creator;
    agent_note("create %d", (int)thread->sequence);
}

void spur_thread_begin(struct spur_thread *thread)
{
    agent_thread = thread;
    agent_note("begin %d", (int)thread->sequence);
}

void spur_thread_ignore(void)
{
    agent_is_over = true;
    agent_loc.depth = 1;
    agent_note("ignore");
}

void spur_thread_end(bool joinable)
{
    agent_note("end %s", joinable ? "joinable" : "detached");
    agent_is_over = true;
    if (agent_thread)
        spur_thread_release(agent_thread);
    agent_thread = NULL;
}

void spur_thread_at_first(bool (*call)(void))
{
    (void)call;
}

void spur_thread_name(const char *name)
{
    agent_note("name %s", name);
}

void spur_thread_name_of(struct spur_thread *thread, const char *name)
{
    agent_note("name of %d %s", (int)thread->sequence, name);
}

void *spur_real(const char *name, const char *version)
{
    return version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
}

void spur_clock_forbid(void)
{
}

void spur_callback_begin(struct spur_callback *callback, struct spur_loc *loc,
                         struct spur_call *call)
{
    *callback = (struct spur_callback){.loc = loc};
    (void)call;
    loc->depth = 0;
}

struct spur_loc *spur_callback_end(struct spur_callback *callback)
{
    callback->loc->depth = 1;
    return callback->loc;
}

struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded)
{
    (void)call, (void)is_recorded;
    agent_note("follow");
    agent_loc.depth = 1;
    return &agent_loc;
}

/* TEST_PTHREAD_MODE is what SPUR_PTHREAD is else. */
const char *spur_setting(const char *name)
{
    return strcmp(name, "PTHREAD") == 0 ? getenv("TEST_PTHREAD_MODE") : NULL;
}

void spur_complain(const char *line)
{
    agent_note("complain %s", line);
}

bool spur_wraps(enum spur_family family)
{
    return family == SPUR_FAMILY_PTHREAD && !getenv("TEST_PTHREAD_OFF");
}

void *spur_mem_new(size_t bytes)
{
    atomic_fetch_add(&agent_bytes, (long)bytes);
    return calloc(1, bytes);
}

void spur_mem_free(void *mem, size_t bytes)
{
    atomic_fetch_sub(&agent_bytes, (long)bytes);
    free(mem);
}

void spur_process_seal(void)
{
    agent_note("seal");
}

void spur_say(const char *format, ...)
{
    agent_note("say %s", format);
}

#endif
