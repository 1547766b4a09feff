/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tasks on threads. Each thread has a stack of tasks, the current task on top. The constructs that
 * a task opens lie above the constructs of the task below. So regions nest, in whatever order a
 * runtime resumes tasks. If the resumed task is not on top, the tasks above are given up. A task
 * that is resumed on another thread begins there as a new task does, with the constructs that were
 * open.
 */
#include <stdio.h>
#include <string.h>

#include "wrappers/openmp/openmp_thread.h"

/* The constructs that a task had open when the task was given up. */
struct openmp_kept {
    uint32_t n;
    struct openmp_open open[];
};

static size_t kept_bytes(uint32_t n)
{
    return sizeof(struct openmp_kept) + n * sizeof(struct openmp_open);
}

static void put_switch(const struct openmp_here *here, const struct openmp_task *task)
{
    if (here->loc && task->team)
        spur_put_ThreadTaskSwitch(here->loc, task->team->comm, task->creator, task->generation);
}

static void put_complete(const struct openmp_here *here, const struct openmp_task *task)
{
    if (here->loc && task->team)
        spur_put_ThreadTaskComplete(here->loc, task->team->comm, task->creator, task->generation);
}

static void put_on_top(const struct openmp_here *here, struct openmp_task *task)
{
    struct openmp_thread *thread = here->thread;
    task->on = thread;
    task->below = thread->task;
    task->base = thread->n_open;
    task->mark = SPUR_NOT_OPEN;
    thread->task = task;
}

static void take_off_top(const struct openmp_here *here)
{
    struct openmp_thread *thread = here->thread;
    struct openmp_task *task = thread->task;
    if (here->loc)
        spur_close(here->loc, task->mark);
    thread->n_open = task->base;
    thread->task = task->below;
    task->on = NULL;
}

/* ---- members of a team ---- */

static void name_thread_here(const struct openmp_here *here, const struct openmp_team *team,
                             uint32_t index)
{
    char name[24 + OPENMP_PATH_BYTES];
    if (here->thread->is_named)
        return;
    here->thread->is_named = true;
    snprintf(name, sizeof name, "OMP thread %s%u", team->path, index);
    spur_thread_name(name);
}
static void name_thread(const struct openmp_here *here, const struct openmp_team *team,
                        uint32_t index);
SPUR_DOOR_VOID(name_thread, (const struct openmp_here *, here), (const struct openmp_team *, team),
               (uint32_t, index))

void openmp_member_begin(struct openmp_task *implicit, const struct openmp_parallel *parallel,
                         uint32_t index)
{
    struct openmp_here here;
    *implicit = (struct openmp_task){.address = parallel->address,
                                     .parallel = parallel->address,
                                     .is_hidden = parallel->is_hidden};
    if (parallel->is_hidden) {
        spur_inside_begin();
        return;
    }
    if (!openmp_here_begin(&here, OPENMP_BEGINS))
        return;
    put_on_top(&here, implicit);
    struct openmp_team *team = parallel->team;
    if (here.loc && team) {
        implicit->team = team;
        implicit->creator = openmp_team_join(&here, team, index);
        implicit->mark = spur_open_team(here.loc, team->comm);
        if (index > 0) {
            name_thread(&here, team, index);
            spur_open_region(here.loc, spur_def_region_at(&openmp_constructs[parallel->kind],
                                                          parallel->address));
        }
    }
    openmp_here_end(&here);
}

/* Gives up or drops the tasks above `task`. `task` is on the thread's stack. */
static void go_back_to(const struct openmp_here *here, struct openmp_task *task, bool is_complete);

void openmp_member_end(struct openmp_task *implicit)
{
    struct openmp_here here;
    if (implicit->is_hidden)
        spur_inside_end();
    if (implicit->is_hidden || !implicit->on || !openmp_here_begin(&here, OPENMP_ENDS))
        return;
    if (implicit->on == here.thread) {
        go_back_to(&here, implicit, false);
        take_off_top(&here);
    }
    openmp_here_end(&here);
}

void openmp_parallel_end_of(struct openmp_parallel *parallel, struct openmp_task *first)
{
    struct openmp_here here;
    if (first->is_hidden)
        spur_inside_end();
    if (parallel->is_hidden || !openmp_here_begin(&here, OPENMP_ENDS))
        return;
    if (first->on == here.thread) {
        go_back_to(&here, first, false);
        take_off_top(&here);
    }
    openmp_pop_to(&here, openmp_find(here.thread, OPENMP_PARALLEL));
    openmp_here_end(&here);
}

void openmp_member_waits(void)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_ENDS))
        return;
    const struct openmp_task *task = here.thread->task;
    if (task->team && !task->generation) {
        openmp_pop_to(&here, task->base);
        openmp_push(&here, OPENMP_IMPLICIT_BARRIER, task->parallel);
    }
    openmp_here_end(&here);
}

/* ---- tasks ---- */

/* The team of tasks that are created outside of parallel regions: the thread alone. */
static void give_own_team(const struct openmp_here *here)
{
    struct openmp_task *own = &here->thread->own;
    own->team = openmp_team_find(here, OTF2_UNDEFINED_COMM, 0, "");
    if (own->team)
        own->creator = openmp_team_join(here, own->team, 0);
}

/* The team of tasks that the current task creates; NULL: the tasks are not recorded. */
static struct openmp_team *team_of_tasks(const struct openmp_here *here)
{
    struct openmp_task *creator = here->thread->task;
    if (here->loc && !creator->team && creator == &here->thread->own)
        give_own_team(here);
    return here->loc ? creator->team : NULL;
}

static void prepare(const struct openmp_here *here, struct openmp_task *task, enum openmp_kind kind,
                    const void *address)
{
    task->kind = (uint8_t)kind;
    task->address = address ? address : here->thread->task->address;
    task->parallel = here->thread->task->parallel;
    task->team = team_of_tasks(here);
}

static void create(const struct openmp_here *here, struct openmp_task *task)
{
    struct openmp_thread *thread = here->thread;
    const struct openmp_task *creator = thread->task;
    uint32_t top = thread->n_open;
    bool is_in = openmp_is_at(thread, OPENMP_TASK_CREATE);
    task->creator = openmp_team_join(here, task->team, creator->creator);
    thread->created += thread->created + 1 == 0 ? 2 : 1; /* 0 is the implicit task */
    task->generation = thread->created;
    if (!is_in)
        openmp_push(here, OPENMP_TASK_CREATE, task->address);
    spur_put_ThreadTaskCreate(here->loc, task->team->comm, task->creator, task->generation);
    if (!is_in)
        openmp_pop_to(here, top);
}

void openmp_task_created(struct openmp_task *task, enum openmp_kind kind, const void *address)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_FOLLOWS))
        return;
    prepare(&here, task, kind, address);
    if (task->team)
        create(&here, task);
    openmp_here_end(&here);
}

void openmp_task_planned(struct openmp_task *task, enum openmp_kind kind, const void *address)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_BEGINS))
        return;
    prepare(&here, task, kind, address);
    task->is_planned = task->team != NULL;
    openmp_here_end(&here);
}

/*
 * A task begins on a thread whose part of the region is over: the thread waits in the barrier at
 * the end, where the runtime does not tell. For the time of the task the thread is a member once
 * more.
 */
static void begin_late(const struct openmp_here *here, const struct openmp_task *task)
{
    struct openmp_task *late = &here->thread->late;
    *late = (struct openmp_task){.team = task->team, .parallel = task->parallel};
    put_on_top(here, late);
    late->creator = openmp_team_join(here, task->team, task->team->size);
    late->mark = spur_open_team(here->loc, task->team->comm);
    spur_open_region(here->loc, spur_def_region_at(&openmp_constructs[OPENMP_IMPLICIT_BARRIER],
                                                   task->parallel));
}

static void begin(const struct openmp_here *here, struct openmp_task *task)
{
    struct openmp_task *now = here->thread->task;
    if (here->loc && task->team && task->team != now->team && now == &here->thread->own)
        begin_late(here, task);
    if (task->is_planned && here->loc && task->team)
        create(here, task);
    else if (task->is_planned)
        task->team = NULL;
    task->is_planned = false;
    put_on_top(here, task);
    if (here->loc && task->team) {
        put_switch(here, task);
        task->mark = spur_open_region(here->loc, spur_def_region_at(&openmp_constructs[task->kind],
                                                                    task->address));
    }
    struct openmp_kept *kept = task->kept;
    task->kept = NULL;
    for (uint32_t i = 0; kept && i < kept->n; i++) {
        uint32_t at = here->thread->n_open;
        openmp_push(here, (enum openmp_kind)kept->open[i].kind, kept->open[i].address);
        if (here->thread->n_open > at) {
            here->thread->open[at].is_held = kept->open[i].is_held;
            here->thread->open[at].hold = kept->open[i].hold;
        }
    }
    if (kept)
        spur_mem_free(kept, kept_bytes(kept->n));
}

static void keep(const struct openmp_thread *thread, struct openmp_task *task)
{
    uint32_t n = thread->n_open - task->base;
    struct openmp_kept *kept = n ? spur_mem_new(kept_bytes(n)) : NULL;
    if (kept) {
        kept->n = n;
        memcpy(kept->open, &thread->open[task->base], n * sizeof kept->open[0]);
    }
    task->kept = kept;
}

static void go_back_to(const struct openmp_here *here, struct openmp_task *task, bool is_complete)
{
    struct openmp_thread *thread = here->thread;
    while (thread->task != task && thread->task != &thread->own) {
        struct openmp_task *top = thread->task;
        if (top == &thread->late)
            put_switch(here, top);
        else if (!is_complete && top->generation)
            keep(thread, top);
        take_off_top(here);
        if (is_complete)
            put_complete(here, top);
        is_complete = false;
    }
}

struct openmp_task *openmp_task_switch(struct openmp_task *task, bool is_complete)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, is_complete || task->on ? OPENMP_ENDS : OPENMP_BEGINS))
        return NULL;
    struct openmp_task *was = here.thread->task;
    if (task->on == here.thread) {
        go_back_to(&here, task, is_complete);
        put_switch(&here, task);
    } else {
        if (is_complete)
            go_back_to(&here, was->below, true);
        begin(&here, task);
    }
    openmp_here_end(&here);
    return was;
}

void openmp_task_detach(struct openmp_task *task)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_ENDS))
        return;
    take_off_top(&here);
    go_back_to(&here, task, false);
    put_switch(&here, task);
    openmp_here_end(&here);
}

void openmp_task_complete(const struct openmp_task *task)
{
    struct openmp_here here;
    if (!openmp_here_begin(&here, OPENMP_ENDS))
        return;
    put_complete(&here, task);
    openmp_here_end(&here);
}
