/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/openmp/openmp_thread.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

static __thread struct openmp_thread *self __attribute__((tls_model("initial-exec")));

/* Threads' structures without a thread; taken and given one by one, seldom. */
static struct openmp_thread *unused;
static _Atomic int
    unused_lock; /* the generation of the holder + 1, so that a child of fork() sees */
static _Atomic uint32_t serials;

static void lock_unused(void)
{
    int own = (int)spur_generation() + 1;
    spur_quiet_begin();
    for (;;) {
        int other = 0;
        if (atomic_compare_exchange_weak_explicit(&unused_lock, &other, own, memory_order_acquire,
                                                  memory_order_relaxed))
            return;
        if (other != 0 && other != own &&
            atomic_compare_exchange_strong_explicit(&unused_lock, &other, own, memory_order_acquire,
                                                    memory_order_relaxed))
            return;
        sched_yield();
    }
}

static void unlock_unused(void)
{
    atomic_store_explicit(&unused_lock, 0, memory_order_release);
    spur_quiet_end();
}

static struct openmp_thread *take_unused(void)
{
    lock_unused();
    struct openmp_thread *thread = unused;
    if (thread)
        unused = thread->next;
    unlock_unused();
    return thread ? thread : spur_mem_new(sizeof *thread);
}

/* In a child of fork(): what is open, and the teams, are the parent's. */
static void renew(struct openmp_thread *thread)
{
    for (uint32_t i = 0; i < thread->n_open; i++) {
        thread->open[i].mark = SPUR_NOT_OPEN;
        thread->open[i].is_held = false;
    }
    for (struct openmp_task *task = thread->task; task; task = task->below) {
        task->team = NULL;
        task->mark = SPUR_NOT_OPEN;
    }
    memset(thread->known, 0, sizeof thread->known);
    thread->n_held = 0;
    openmp_teams_free(thread);
}

static struct openmp_thread *make_self(void)
{
    int saved = errno;
    spur_inside_begin();
    struct openmp_thread *thread = self;
    if (thread) {
        renew(thread);
    } else {
        thread = take_unused();
        if (thread) {
            thread->n_open = thread->n_held = 0;
            thread->is_named = false;
            thread->at = 0;
            thread->own = (struct openmp_task){.mark = SPUR_NOT_OPEN, .on = thread};
            thread->task = &thread->own;
            memset(thread->known, 0, sizeof thread->known);
        }
    }
    if (thread) {
        thread->generation = spur_generation();
        thread->serial = atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed) + 1;
        self = thread;
    }
    spur_inside_end();
    errno = saved;
    return thread;
}

struct openmp_thread *openmp_thread_self(void)
{
    struct openmp_thread *thread = self;
    return __builtin_expect(thread && thread->generation == spur_generation(), 1) ? thread
                                                                                  : make_self();
}

/* The location first: in a child of fork() it finds out that this is another process. */
bool openmp_here_begin(struct openmp_here *here, enum openmp_what what)
{
    if (spur_inside())
        return false;
    enum { LONG_AGO = 1 }; /* a location's time does not go back: it stays */
    uint64_t at = self ? self->at : 0;
    if (what == OPENMP_FOLLOWS && !at && openmp_is_at(self, OPENMP_TASK_CREATE))
        at = LONG_AGO;
    here->loc =
        what == OPENMP_NOTHING ? NULL : spur_begin_at(SPUR_FAMILY_OPENMP, what == OPENMP_ENDS, at);
    if (!here->loc)
        spur_inside_begin();
    here->thread = openmp_thread_self();
    if (here->thread)
        return true;
    openmp_here_end(here);
    return false;
}

void openmp_here_end(const struct openmp_here *here)
{
    if (here->loc)
        spur_end(here->loc);
    else
        spur_inside_end();
}

void openmp_at(uint64_t time)
{
    if (self)
        self->at = time;
}

void openmp_rest(const _Atomic uint64_t *since)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_ENDS))
        return;
    if (here.loc)
        spur_rest(here.loc, since);
    openmp_here_end(&here);
}

/* The thread ends; the agent closes what it has open. */
static void thread_is_over(void)
{
    struct openmp_thread *thread = self;
    if (!thread)
        return;
    spur_inside_begin();
    self = NULL;
    openmp_teams_free(thread);
    lock_unused();
    thread->next = unused;
    unused = thread;
    unlock_unused();
    spur_inside_end();
}

__attribute__((constructor)) static void start(void)
{
    spur_thread_at_end(thread_is_over);
}

/* ---- memory of tasks ---- */

struct openmp_task *openmp_task_new(void)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_NOTHING))
        return NULL;
    struct openmp_task *task = here.thread->free_tasks;
    if (task) {
        here.thread->free_tasks = task->below;
        *task = (struct openmp_task){0};
    } else {
        task = spur_mem_new(sizeof *task);
    }
    openmp_here_end(&here);
    return task;
}

void openmp_task_free(struct openmp_task *task)
{
    struct openmp_here here;
    if (!task || !openmp_here_begin(&here, OPENMP_NOTHING))
        return;
    task->below = here.thread->free_tasks;
    here.thread->free_tasks = task;
    openmp_here_end(&here);
}
