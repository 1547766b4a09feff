/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of Level Zero, and the work of devices that is timed by events. */
#include <sched.h>

#include "wrappers/levelzero/levelzero.h"

enum { POOL_EVENTS = 256 };

struct levelzero_pool_own {
    struct levelzero_pool_own *next;
    void *handle;
    uint32_t n; /* events made */
};

/* Guarded by the lock. */
static struct {
    struct wrapper_lock lock;
    _Atomic uint64_t ready; /* 2 * generation of the process; + 1 while being made ready */
    struct levelzero_use *uses;
    struct levelzero_event *spare;
} all;

/*
 * In a child of fork() all known uses are the parent's, and threads of the parent may have held the
 * lock.
 */
void levelzero_lock(void)
{
    const uint64_t is_ready = 2 * (uint64_t)device_generation();
    uint64_t ready = atomic_load(&all.ready);
    while (ready != is_ready) {
        if (ready == is_ready + 1) {
            sched_yield();
            ready = atomic_load(&all.ready);
        } else if (atomic_compare_exchange_weak(&all.ready, &ready, is_ready + 1)) {
            all.uses = NULL;
            all.spare = NULL;
            wrapper_lock_give(&all.lock);
            atomic_store(&all.ready, is_ready);
            ready = is_ready;
        }
    }
    wrapper_lock_take(&all.lock);
}

void levelzero_unlock(void)
{
    wrapper_lock_give(&all.lock);
}

/* ---- spur's own events ---- */

static struct levelzero_pool_own *pool_with_room(struct levelzero_context *context)
{
    struct levelzero_pool_own *pool = context->pools;
    struct levelzero_pool_desc desc = {.kind = LEVELZERO_POOL_DESC,
                                       .flags =
                                           LEVELZERO_POOL_HOST_VISIBLE | LEVELZERO_POOL_TIMESTAMP,
                                       .n = POOL_EVENTS};
    if (pool && pool->n < POOL_EVENTS)
        return pool;
    pool = spur_mem_new(sizeof *pool);
    if (!pool)
        return NULL;
    if (next_EventPool_Create(context->object.handle, &desc, 0, NULL, &pool->handle) !=
        LEVELZERO_SUCCESS) {
        spur_mem_free(pool, sizeof *pool);
        return NULL;
    }
    pool->next = context->pools;
    context->pools = pool;
    return pool;
}

static struct levelzero_event *new_event(struct levelzero_context *context)
{
    struct levelzero_pool_own *pool = pool_with_room(context);
    struct levelzero_event *event = all.spare;
    if (!pool)
        return NULL;
    if (event)
        all.spare = event->next_free;
    else if (!(event = spur_mem_new(sizeof *event)))
        return NULL;
    struct levelzero_event_desc desc = {.kind = LEVELZERO_EVENT_DESC,
                                        .index = pool->n,
                                        .signal_scope = LEVELZERO_SCOPE_HOST,
                                        .wait_scope = LEVELZERO_SCOPE_HOST};
    *event = (struct levelzero_event){.has_times = true, .own = context};
    if (next_Event_Create(pool->handle, &desc, &event->object.handle) != LEVELZERO_SUCCESS) {
        event->next_free = all.spare;
        all.spare = event;
        return NULL;
    }
    pool->n++;
    event->next_event = context->events;
    context->events = event;
    return event;
}

static bool is_signalled(const struct levelzero_event *event)
{
    return next_Event_QueryStatus(event->object.handle) == LEVELZERO_SUCCESS;
}

/*
 * An event that may still be signalled goes to the list `leaving`: nobody knows when the event is
 * free.
 */
static void free_event(struct levelzero_event *event)
{
    struct levelzero_context *context = event->own;
    bool is_leaving =
        event->is_given &&
        (!is_signalled(event) || next_Event_HostReset(event->object.handle) != LEVELZERO_SUCCESS);
    struct levelzero_event **list = is_leaving ? &context->leaving : &context->free;
    event->is_given = is_leaving;
    event->next_free = *list;
    *list = event;
}

/* The last event to leave is asked: all earlier events were signalled earlier. */
static void free_leaving(struct levelzero_context *context)
{
    struct levelzero_event *event = context->leaving, *next;
    if (!event || !is_signalled(event))
        return;
    context->leaving = NULL;
    for (; event; event = next) {
        next = event->next_free;
        free_event(event);
    }
}

struct levelzero_event *levelzero_event_own(struct levelzero_context *context)
{
    levelzero_lock();
    if (!context->free)
        free_leaving(context);
    struct levelzero_event *event = context->free;
    if (event)
        context->free = event->next_free;
    else
        event = new_event(context);
    levelzero_unlock();
    return event;
}

void levelzero_event_give_back(struct levelzero_event *event)
{
    levelzero_lock();
    free_event(event);
    levelzero_unlock();
}

/* ---- answers of events; the lock is held ---- */

static void detach(struct levelzero_event *event, struct levelzero_use *use,
                   enum device_state state)
{
    event->use = NULL;
    use->event = NULL;
    use->state = state;
}

/* Asks the event whether the work has ended, and for the times of the work. */
static void examine(struct levelzero_event *event, bool is_idle)
{
    struct levelzero_use *use = event->use;
    struct levelzero_times cycles = {.begin = 0};
    if (use->due && !is_idle && atomic_load(&use->queue->finished) < use->due)
        return;
    uint32_t status = next_Event_QueryStatus(event->object.handle);
    if (status == LEVELZERO_NOT_READY)
        return;
    bool is_done =
        status == LEVELZERO_SUCCESS &&
        next_Event_QueryKernelTimestamp(event->object.handle, &cycles) == LEVELZERO_SUCCESS &&
        levelzero_device_times(use->device, &cycles, &use->times);
    detach(event, use, is_done ? DEVICE_DONE : DEVICE_FAILED);
    if (!is_done)
        device_count_lost(1);
    if (use->is_once)
        free_event(event);
}

static void settle(struct levelzero_event *event, bool is_idle)
{
    if (event->use)
        examine(event, is_idle);
    if (!event->use)
        return;
    device_count_lost(1);
    detach(event, event->use, DEVICE_FAILED);
}

void levelzero_event_settle(struct levelzero_event *event, bool is_idle)
{
    levelzero_lock();
    settle(event, is_idle);
    levelzero_unlock();
}

static struct levelzero_use *new_use(struct levelzero_event *event, struct levelzero_queue *queue)
{
    struct levelzero_use *use = all.uses;
    if (use)
        all.uses = use->next;
    else if (!(use = spur_mem_new(sizeof *use)))
        return NULL;
    *use = (struct levelzero_use){.event = event,
                                  .queue = queue,
                                  .device = queue->device,
                                  .state = DEVICE_PENDING};
    event->use = use;
    event->is_given = true;
    return use;
}

static void free_use(struct levelzero_use *use)
{
    use->next = all.uses;
    all.uses = use;
}

struct levelzero_use *levelzero_use_begin(struct levelzero_event *event,
                                          struct levelzero_queue *queue, bool is_once)
{
    levelzero_lock();
    settle(event, false);
    struct levelzero_use *use = new_use(event, queue);
    if (use)
        use->is_once = is_once;
    levelzero_unlock();
    return use;
}

/*
 * An event signalled by an earlier run, and reset by nobody, says nothing of the new run. The event
 * counts only when the queue is known to have finished the new run.
 */
struct levelzero_use *levelzero_use_again(struct levelzero_event *event,
                                          struct levelzero_queue *queue)
{
    levelzero_lock();
    if (event->use)
        examine(event, false);
    bool is_late = event->use;
    settle(event, false);
    if (!is_late && is_signalled(event))
        is_late = !event->own || next_Event_HostReset(event->object.handle) != LEVELZERO_SUCCESS;
    else if (!is_late)
        is_late = event->own && event->is_given; /* by a run that was not recorded */
    struct levelzero_use *use = new_use(event, queue);
    if (use && is_late)
        use->due = atomic_load(&queue->submitted);
    levelzero_unlock();
    return use;
}

void levelzero_event_given(struct levelzero_event *event)
{
    levelzero_lock();
    settle(event, false);
    event->is_given = true;
    levelzero_unlock();
}

void levelzero_use_cancel(struct levelzero_use *use)
{
    levelzero_lock();
    if (use->event) {
        use->event->is_given = false;
        detach(use->event, use, DEVICE_FAILED);
    }
    free_use(use);
    levelzero_unlock();
}

void levelzero_events_end(struct levelzero_context *context)
{
    struct levelzero_event *event, *next_event;
    struct levelzero_pool_own *pool, *next_pool;
    levelzero_lock();
    for (event = context->events; event; event = next_event) {
        next_event = event->next_event;
        settle(event, true);
        (void)next_Event_Destroy(event->object.handle);
        event->next_free = all.spare;
        all.spare = event;
    }
    for (pool = context->pools; pool; pool = next_pool) {
        next_pool = pool->next;
        (void)next_EventPool_Destroy(pool->handle);
        spur_mem_free(pool, sizeof *pool);
    }
    context->events = context->free = context->leaving = NULL;
    context->pools = NULL;
    levelzero_unlock();
}

/* ---- the outcome of the work ---- */

static enum device_state look(void *handle, struct device_times *times)
{
    struct levelzero_use *use = handle;
    levelzero_lock();
    if (use->event)
        examine(use->event, false);
    enum device_state state = use->state;
    *times = use->times;
    levelzero_unlock();
    return state;
}

/* Drops work that a filter leaves out. The event of the work has not answered yet. */
static void drop(void *handle)
{
    struct levelzero_use *use = handle;
    levelzero_lock();
    struct levelzero_event *event = use->event;
    if (event)
        detach(event, use, DEVICE_FAILED);
    if (event && use->is_once)
        free_event(event);
    free_use(use);
    levelzero_unlock();
}

const struct device_runtime levelzero_runtime = {.family = SPUR_FAMILY_LEVELZERO,
                                                 .paradigm = OTF2_PARADIGM_UNKNOWN,
                                                 .stream = "Queue",
                                                 .look = look,
                                                 .drop = drop};
