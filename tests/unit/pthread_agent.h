/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Notes of the fake agent for the tests of wrappers/pthread, as lines of text. The test programs
 * themselves are wrapped, Criterion included, so the fake agent records only while agent_on is set.
 */
#ifndef TESTS_PTHREAD_AGENT_H
#define TESTS_PTHREAD_AGENT_H

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake_agent.h"
#include "tests/unit/polls_agent.h"

enum { LINES = 4096, LINE_BYTES = 96, LOCKS = 16 };

struct spur_loc {
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
static _Atomic int agent_handles;
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

struct spur_loc *spur_enter_from(struct spur_call *call, struct spur_caller caller)
{
    (void)caller;
    if (!agent_on || agent_is_over || agent_depth)
        return NULL;
    agent_depth = 1;
    agent_note("enter %s", call->name);
    return &agent_loc;
}

void spur_leave(struct spur_loc *loc, struct spur_call *call)
{
    (void)loc;
    agent_note("leave %s", call->name);
    agent_depth = 0;
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

static void (*agent_forgets)(const void *object); /* looks at what is there then, or NULL */

void spur_object_forget(const void *object)
{
    agent_note("forget");
    if (agent_forgets)
        agent_forgets(object);
}

/* No thread has sharers. */
_Thread_local struct spur_sharers spur_sharers;

bool spur_sharers_ask(void)
{
    return false;
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
    agent_depth = 1;
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

void spur_thread_name(const char *name)
{
    agent_note("name %s", name);
}

void spur_thread_name_of(struct spur_thread *thread, const char *name)
{
    agent_note("name of %d %s", (int)thread->sequence, name);
}

void spur_callback_begin(struct spur_callback *callback, struct spur_loc *loc,
                         struct spur_call *call)
{
    *callback = (struct spur_callback){.loc = loc};
    (void)call;
    agent_depth = 0;
}

bool spur_unwinds(struct spur_loc *loc, struct spur_call *call)
{
    (void)loc, (void)call;
    return true;
}

struct spur_loc *spur_callback_end(struct spur_callback *callback)
{
    agent_depth = 1;
    return callback->loc;
}

struct spur_loc *spur_follow(struct spur_call *call, bool is_recorded)
{
    (void)call, (void)is_recorded;
    agent_note("follow");
    agent_depth = 1;
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

void spur_process_seal(void)
{
    agent_note("seal");
}

void spur_say(const char *format, ...)
{
    agent_note("say %s", format);
}

#endif
