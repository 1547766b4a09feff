/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/openmp/gomp_detach.h"

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/openmp/gomp_library.h"

/* A task of which one of the two has not happened yet. Few are so at a time. */
struct detached {
    struct detached *next;
    gomp_word event;
    struct openmp_task task; /* a copy: what is there to know of it */
    bool is_half;
};

static struct detached *list;
static struct wrapper_lock list_lock;

static void lock(void)
{
    spur_inside_begin();
    wrapper_lock_take(&list_lock);
}

static void unlock(void)
{
    wrapper_lock_give(&list_lock);
    spur_inside_end();
}

void gomp_detach_created(gomp_word event, const struct openmp_task *task)
{
    if (!task->team)
        return;
    struct detached *detached = spur_mem_new(sizeof *detached);
    if (!detached)
        return;
    detached->event = event;
    detached->task = *task;
    lock();
    detached->next = list;
    list = detached;
    unlock();
}

/* One of the two has happened. True when it was the second one: *task is the task then. */
static bool happens(gomp_word event, struct openmp_task *task)
{
    lock();
    struct detached **at = &list;
    while (*at && (*at)->event != event)
        at = &(*at)->next;
    struct detached *found = *at;
    bool is_second = found && found->is_half;
    if (is_second) {
        *task = found->task;
        *at = found->next;
    } else if (found) {
        found->is_half = true;
    }
    unlock();
    if (is_second)
        spur_mem_free(found, sizeof *found);
    return is_second;
}

bool gomp_detach_ended(gomp_word event)
{
    struct openmp_task task;
    return happens(event, &task);
}

/* ---- omp_fulfill_event ---- */

static void fulfill(enum gomp_id id, gomp_word event, const void *address)
{
    void (*real)(gomp_word) = (void (*)(gomp_word))gomp_real(id, address);
    struct openmp_task task;
    if (!gomp_is_told(id)) {
        real(event);
        return;
    }
    /* Before: the runtime may free the task, and give its address to another one. */
    if (happens(event, &task))
        openmp_task_complete(&task);
    real(event);
}

SPUR_EXPORT void omp_fulfill_event(gomp_word event);
SPUR_EXPORT void omp_fulfill_event(gomp_word event)
{
    fulfill(ID_omp_fulfill_event, event, __builtin_return_address(0));
}

/* Fortran passes the handle itself, too: by value. */
SPUR_EXPORT void omp_fulfill_event_(gomp_word event);
SPUR_EXPORT void omp_fulfill_event_(gomp_word event)
{
    fulfill(ID_omp_fulfill_event_, event, __builtin_return_address(0));
}
