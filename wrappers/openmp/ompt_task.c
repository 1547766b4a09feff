/* SPDX-License-Identifier: BSD-3-Clause */
/* Explicit tasks, cancellation, target regions. */
#include "wrappers/openmp/ompt_handlers.h"
#include "wrappers/openmp/ompt_thread.h"

/*
 * LLVM's runtime shows a wait for dependences, that of `taskwait depend` or of an undeferred task,
 * as a task that never runs.
 */
void ompt_on_task_create(union ompt_data *creator, const struct ompt_frame *frame,
                         union ompt_data *task, int flags, int has_dependences, const void *code)
{
    (void)creator;
    (void)frame;
    (void)has_dependences;
    task->ptr = NULL;
    code = ompt_place(code, !(flags & OMPT_TASK_TASKWAIT));
    if (flags & OMPT_TASK_TASKWAIT) {
        openmp_enter(OPENMP_TASKWAIT, code);
        return;
    }
    if (!(flags & (OMPT_TASK_EXPLICIT | OMPT_TASK_TARGET)))
        return;
    struct openmp_task *made = openmp_task_new();
    if (!made)
        return;
    task->ptr = made;
    openmp_enter(OPENMP_TASK_CREATE, code);
    openmp_task_created(made, flags & OMPT_TASK_UNTIED ? OPENMP_TASK_UNTIED : OPENMP_TASK, code);
    openmp_leave(OPENMP_TASK_CREATE);
}

/* The code of `task` is over, or it is dropped before it began; `next` goes on, if there is one. */
static void complete(struct openmp_task *task, struct openmp_task *next)
{
    if (task->on && next) {
        openmp_task_switch(next, true);
        return;
    }
    openmp_task_complete(task);
    if (next && !next->on)
        openmp_task_switch(next, false);
}

/*
 * A detached task ends twice: its code, whereupon it is given up like one that is suspended; and
 * when its event is fulfilled, by whomever. The guard is up again when a task goes on that waits.
 */
void ompt_on_task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
    struct openmp_task *task = ompt_task_of(prior);
    struct openmp_task *after = ompt_task_of(next);
    if (status == OMPT_TASKWAIT_COMPLETE) {
        openmp_leave(OPENMP_TASKWAIT);
        return;
    }
    if (status == OMPT_TASK_EARLY_FULFILL)
        return;
    bool was_up = ompt_guard(false);
    bool is_over = task && (status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL ||
                            status == OMPT_TASK_LATE_FULFILL);
    if (is_over) {
        complete(task, after);
        prior->ptr = NULL;
        openmp_task_free(task);
    } else if (after) {
        struct openmp_task *was = openmp_task_switch(after, false);
        if (!task && prior)
            prior->ptr = was; /* not the implicit task of a parallel region */
    }
    ompt_guard(after ? after == ompt_thread.waiting : was_up);
}

void ompt_on_cancel(union ompt_data *task, int flags, const void *code)
{
    (void)task;
    if (!(flags & OMPT_CANCEL_ACTIVATED))
        return;
    openmp_enter(OPENMP_CANCEL, ompt_place(code, false));
    openmp_leave(OPENMP_CANCEL);
}

void ompt_on_target(int kind, int endpoint, int device, union ompt_data *task, uint64_t id,
                    const void *code)
{
    static const uint8_t regions[OMPT_TARGETS] = {
        [OMPT_TARGET] = OPENMP_TARGET,
        [OMPT_TARGET_ENTER_DATA] = OPENMP_TARGET_ENTER_EXIT,
        [OMPT_TARGET_EXIT_DATA] = OPENMP_TARGET_ENTER_EXIT,
        [OMPT_TARGET_UPDATE] = OPENMP_TARGET_UPDATE,
    };
    (void)device;
    (void)task;
    (void)id;
    unsigned at = (unsigned)kind & ~(unsigned)OMPT_TARGET_NOWAIT;
    const unsigned region =
        at > 0 && at < OMPT_TARGETS ? regions[at] : ompt_numbered("target", kind);
    if (region == OPENMP_KINDS)
        return;
    if (endpoint != OMPT_END)
        openmp_enter(region, ompt_place(code, false));
    if (endpoint != OMPT_BEGIN)
        openmp_leave(region);
}
