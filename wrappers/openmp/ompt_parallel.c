/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads, parallel regions and their members. */
#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

_Thread_local struct ompt_thread ompt_thread __attribute__((tls_model("initial-exec")));
bool ompt_is_heard;

/* A worker has nothing to do before the worker becomes a member of a team. */
void ompt_on_thread_begin(int type, union ompt_data *thread)
{
    (void)thread;
    if (type == OMPT_THREAD_WORKER)
        ompt_guard(true);
}

/* Destructors of the program may follow. */
void ompt_on_thread_end(union ompt_data *thread)
{
    (void)thread;
    ompt_guard(false);
}

static void release(struct ompt_parallel *p)
{
    atomic_fetch_sub_explicit(&p->users, 1, memory_order_release);
}

/* Workers are done with a region only when given new work; so there are a few regions at a time. */
static struct ompt_parallel *parallel_new(struct ompt_thread *self)
{
    struct ompt_parallel *p = self->made;
    while (p && atomic_load_explicit(&p->users, memory_order_acquire) != 0)
        p = p->next;
    if (!p) {
        p = spur_mem_new(sizeof *p);
        if (!p)
            return NULL;
        p->next = self->made;
        self->made = p;
    }
    atomic_store_explicit(&p->ended, 0, memory_order_relaxed);
    atomic_store_explicit(&p->users, 1, memory_order_relaxed);
    p->has_begun = false;
    return p;
}

/*
 * Each team of a league executes an implicit parallel region, without a construct in the program.
 */
static bool is_of_league(const void *code)
{
    const struct ompt_member *member = ompt_thread.member;
    return !code && member && member->parallel->is_league;
}

void ompt_on_parallel_begin(union ompt_data *task, const struct ompt_frame *frame,
                            union ompt_data *parallel, unsigned requested, int flags,
                            const void *code)
{
    (void)task;
    (void)frame;
    parallel->ptr = NULL;
    struct ompt_parallel *p = is_of_league(code) ? NULL : parallel_new(&ompt_thread);
    if (!p)
        return;
    const void *place = ompt_place(code, true);
    p->code = code;
    p->is_league = flags & OMPT_PARALLEL_LEAGUE;
    p->around = ompt_thread.met;
    ompt_thread.met = p;
    if (p->is_league)
        openmp_league_begin(&p->records, place, requested);
    else
        openmp_parallel_begin(&p->records, place, requested);
    parallel->ptr = p;
}

/*
 * A region that a team of a league executes alone for code of gcc begins as a region of its own.
 * The region goes on and ends, LLVM 14 says, as the team's implicit region.
 */
void ompt_on_parallel_end(union ompt_data *parallel, union ompt_data *task, int flags,
                          const void *code)
{
    (void)task;
    (void)flags;
    struct ompt_thread *self = &ompt_thread;
    struct ompt_parallel *p = parallel->ptr;
    if (!p && code && self->met && self->met->code == code)
        p = self->met;
    if (!p)
        return;
    parallel->ptr = NULL;
    self->met = p->around;
    openmp_parallel_end(&p->records);
    release(p);
}

static struct ompt_member *member_new(struct ompt_thread *self)
{
    struct ompt_member *member = self->free;
    if (!member)
        return spur_mem_new(sizeof *member);
    self->free = member->below;
    *member = (struct ompt_member){0};
    return member;
}

static void member_begin(union ompt_data *word, struct ompt_parallel *p, unsigned index)
{
    struct ompt_thread *self = &ompt_thread;
    ompt_guard(false);
    if (!p && self->met && !self->met->has_begun)
        p = self->met; /* see ompt_on_parallel_end() */
    if (p && index == 0)
        p->has_begun = true;
    struct ompt_member *member = p ? member_new(self) : NULL;
    word->ptr = NULL;
    if (!member)
        return;
    atomic_fetch_add_explicit(&p->users, 1, memory_order_relaxed);
    member->parallel = p;
    member->is_worker = index != 0;
    member->below = self->member;
    self->member = member;
    word->ptr = &member->task;
    openmp_member_begin(&member->task, &p->records, index);
}

/*
 * For a worker the end is reported with the worker's next work: the worker's part has ended long
 * before.
 */
static void member_end(union ompt_data *word)
{
    struct ompt_thread *self = &ompt_thread;
    struct ompt_member *member = self->member;
    bool is_ours = member && word->ptr == &member->task; /* the word itself may have moved */
    word->ptr = NULL; /* LLVM 14 uses a worker's word again, and insists on NULL */
    if (!is_ours)
        return;
    struct ompt_parallel *p = member->parallel;
    if (member->is_worker)
        openmp_at(atomic_load_explicit(&p->ended, memory_order_acquire));
    else
        atomic_store_explicit(&p->ended, spur_time(), memory_order_release);
    openmp_member_end(&member->task);
    openmp_at(0);
    ompt_guard(member->is_worker);
    self->member = member->below;
    member->below = self->free;
    self->free = member;
    release(p);
}

void ompt_on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
                           unsigned size, unsigned index, int flags)
{
    (void)size;
    (void)flags;
    if (endpoint == OMPT_BEGIN)
        member_begin(task, parallel ? parallel->ptr : NULL, index);
    else
        member_end(task);
}
