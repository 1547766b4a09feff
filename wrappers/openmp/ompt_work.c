/* SPDX-License-Identifier: BSD-3-Clause */
/* Work-sharing, masked, and what waits for others. */
#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

enum { NO_REGION = OPENMP_KINDS };

static const uint8_t works[OMPT_WORKS] = {
    NO_REGION,
    [OMPT_WORK_LOOP] = OPENMP_FOR,
    [OMPT_WORK_SECTIONS] = OPENMP_SECTIONS,
    [OMPT_WORK_SINGLE_EXECUTOR] = OPENMP_SINGLE,
    [OMPT_WORK_SINGLE_OTHER] = OPENMP_SINGLE,
    [OMPT_WORK_WORKSHARE] = OPENMP_WORKSHARE,
    [OMPT_WORK_DISTRIBUTE] = OPENMP_DISTRIBUTE,
    [OMPT_WORK_TASKLOOP] = OPENMP_TASKLOOP,
    [OMPT_WORK_SCOPE] = NO_REGION,
    [OMPT_WORK_WORKDISTRIBUTE] = OPENMP_DISTRIBUTE,
    [OMPT_WORK_LOOP_STATIC] = OPENMP_FOR,
    [OMPT_WORK_LOOP_DYNAMIC] = OPENMP_FOR,
    [OMPT_WORK_LOOP_GUIDED] = OPENMP_FOR,
    [OMPT_WORK_LOOP_OTHER] = OPENMP_FOR,
};

/* Code of gcc that runs on LLVM's runtime shows both of gcc's barriers as the implementation's. */
static const uint8_t syncs[OMPT_SYNCS] = {
    NO_REGION,
    [OMPT_SYNC_BARRIER] = OPENMP_BARRIER,
    [OMPT_SYNC_BARRIER_IMPLICIT] = OPENMP_IMPLICIT_BARRIER,
    [OMPT_SYNC_BARRIER_EXPLICIT] = OPENMP_BARRIER,
    [OMPT_SYNC_BARRIER_IMPLEMENTATION] = OPENMP_BARRIER,
    [OMPT_SYNC_TASKWAIT] = OPENMP_TASKWAIT,
    [OMPT_SYNC_TASKGROUP] = OPENMP_TASKGROUP,
    [OMPT_SYNC_REDUCTION] = OPENMP_REDUCTION,
    [OMPT_SYNC_BARRIER_WORKSHARE] = OPENMP_IMPLICIT_BARRIER,
    [OMPT_SYNC_BARRIER_PARALLEL] = OPENMP_IMPLICIT_BARRIER,
    [OMPT_SYNC_BARRIER_TEAMS] = OPENMP_IMPLICIT_BARRIER,
};

static unsigned region_of(const uint8_t *table, unsigned n, const char *what, int kind)
{
    return kind > 0 && (unsigned)kind < n ? table[kind] : ompt_numbered(what, kind);
}

/* With code of gcc, the end of a single region is not told. */
static void leave_single(void)
{
    if (openmp_is_in(OPENMP_SINGLE))
        openmp_leave(OPENMP_SINGLE);
}

void ompt_on_work(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                  uint64_t count, const void *code)
{
    (void)parallel;
    (void)task;
    (void)count;
    unsigned region = region_of(works, OMPT_WORKS, "work", kind);
    if (region == NO_REGION)
        return;
    if (endpoint != OMPT_END) {
        if (region != OPENMP_TASKLOOP)
            leave_single();
        openmp_enter(region, ompt_place(code, region == OPENMP_TASKLOOP));
    }
    if (endpoint != OMPT_BEGIN)
        openmp_leave(region);
}

void ompt_on_masked(int endpoint, union ompt_data *parallel, union ompt_data *task,
                    const void *code)
{
    (void)parallel;
    (void)task;
    if (endpoint != OMPT_END)
        openmp_enter(OPENMP_MASKED, ompt_place(code, false));
    if (endpoint != OMPT_BEGIN)
        openmp_leave(OPENMP_MASKED);
}

/*
 * The last barrier of a parallel region, in a worker, is told to be over when the worker is given
 * new work, or at the end of the runtime. But it was when the thread that had met the region went
 * on.
 */
static void last_barrier_begin(struct ompt_member *member, unsigned region)
{
    member->is_in_last_barrier = true;
    openmp_enter(region, member->parallel->records.address);
    openmp_rest(&member->parallel->ended);
}

static void last_barrier_end(struct ompt_member *member, unsigned region)
{
    member->is_in_last_barrier = false;
    openmp_at(atomic_load_explicit(&member->parallel->ended, memory_order_acquire));
    openmp_rest(NULL);
    openmp_leave(region);
    openmp_at(0);
}

static void sync_begin(unsigned region, int kind, const union ompt_data *task, const void *code)
{
    struct ompt_member *member = ompt_thread.member;
    if (region == OPENMP_BARRIER || region == OPENMP_IMPLICIT_BARRIER)
        leave_single();
    if (region == OPENMP_IMPLICIT_BARRIER &&
        (!code || kind == OMPT_SYNC_BARRIER_PARALLEL || kind == OMPT_SYNC_BARRIER_TEAMS) &&
        member && member->is_worker && ompt_task_of(task) == &member->task)
        last_barrier_begin(member, region);
    else
        openmp_enter(region, ompt_place(code, region == OPENMP_TASKGROUP));
}

static void sync_end(unsigned region, const union ompt_data *task)
{
    struct ompt_member *member = ompt_thread.member;
    if (member && ompt_task_of(task) == &member->task && member->is_in_last_barrier)
        last_barrier_end(member, region);
    else
        openmp_leave(region);
}

void ompt_on_sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
                         const void *code)
{
    (void)parallel;
    unsigned region = region_of(syncs, OMPT_SYNCS, "wait", kind);
    if (region == NO_REGION)
        return;
    if (endpoint != OMPT_END)
        sync_begin(region, kind, task, code);
    if (endpoint != OMPT_BEGIN)
        sync_end(region, task);
}

/* Tasks that the thread executes meanwhile lower the guard, see ompt_task.c. */
void ompt_on_sync_region_wait(int kind, int endpoint, union ompt_data *parallel,
                              union ompt_data *word, const void *code)
{
    (void)kind;
    (void)parallel;
    (void)code;
    struct ompt_thread *self = &ompt_thread;
    struct openmp_task *task = ompt_task_of(word);
    if (!task)
        return;
    if (endpoint == OMPT_BEGIN && self->waiting != task) {
        task->next = self->waiting;
        self->waiting = task;
    }
    if (endpoint == OMPT_END && self->waiting == task)
        self->waiting = task->next;
    if (endpoint != OMPT_BEGIN_END)
        ompt_guard(endpoint == OMPT_BEGIN);
}
