/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of commands that are handed to a queue, or to an immediate list: one call gives all works
 * of the lists, each time that they are handed over.
 */
#include "wrappers/levelzero/levelzero.h"

/* A call that hands over lists, while it lasts. */
struct handing {
    struct levelzero_queue *queue;
    struct device_stream *stream; /* NULL: it is not recorded */
    struct device_launch launch;
    void *const *lists;
    uint32_t n;
    struct levelzero_use *uses, **last; /* of the commands that are recorded, in their order */
    uint64_t lost;
};

static void hand(struct handing *handing, struct levelzero_command *command)
{
    if (!command->event) {
        handing->lost += handing->stream != NULL;
        return;
    }
    if (!handing->stream || command->work.region == OTF2_UNDEFINED_REGION) {
        levelzero_event_given(command->event);
        return;
    }
    struct levelzero_use *use = levelzero_use_again(command->event, handing->queue);
    handing->lost += !use;
    if (!use)
        return;
    use->work = &command->work;
    *handing->last = use;
    handing->last = &use->next;
}

static void begin(struct handing *handing, struct spur_loc *loc)
{
    struct levelzero_queue *queue = handing->queue;
    handing->last = &handing->uses;
    if (!queue)
        return;
    atomic_fetch_add(&queue->submitted, 1);
    if (loc && queue->device)
        handing->stream = levelzero_stream(queue);
    for (uint32_t i = 0; i < handing->n; i++) {
        struct levelzero_list *list = levelzero_find(LEVELZERO_LIST, handing->lists[i]);
        struct levelzero_command *command = list ? list->first : NULL;
        for (; command; command = command->next)
            hand(handing, command);
    }
    *handing->last = NULL;
    if (handing->stream)
        handing->launch = device_launch_begin(loc);
}

static void end(struct handing *handing, bool is_given)
{
    struct levelzero_use *use, *next;
    for (use = handing->uses; use; use = next) {
        next = use->next;
        if (is_given)
            device_launch_end(&handing->launch, handing->stream, use, use->work);
        else
            levelzero_use_cancel(use);
    }
    if (is_given && handing->lost)
        device_count_lost(handing->lost);
    if (is_given && handing->stream)
        device_collect(handing->stream);
}

uint32_t levelzero_CommandQueue_ExecuteCommandLists(struct spur_loc *loc, void *queue, uint32_t n,
                                                    void *lists, void *fence)
{
    struct handing handing = {.queue = levelzero_find(LEVELZERO_QUEUE, queue),
                              .lists = lists,
                              .n = n};
    struct levelzero_fence *f = fence ? levelzero_find(LEVELZERO_FENCE, fence) : NULL;
    begin(&handing, loc);
    if (f && handing.queue)
        atomic_store(&f->submitted, atomic_load(&handing.queue->submitted));
    uint32_t result = next_CommandQueue_ExecuteCommandLists(queue, n, lists, fence);
    end(&handing, result == LEVELZERO_SUCCESS);
    return result;
}

uint32_t levelzero_CommandListExp_ImmediateAppendCommandListsExp(struct spur_loc *loc, void *list,
                                                                 uint32_t n, void *lists,
                                                                 void *event, uint32_t waits,
                                                                 void *wait_list)
{
    struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    struct handing handing = {.queue = l ? &l->queue : NULL, .lists = lists, .n = n};
    begin(&handing, loc);
    uint32_t result =
        next_CommandListExp_ImmediateAppendCommandListsExp(list, n, lists, event, waits, wait_list);
    end(&handing, result == LEVELZERO_SUCCESS);
    return result;
}

/* ---- where the program waits ---- */

static void finished(struct levelzero_queue *queue, uint64_t submitted)
{
    uint64_t before = atomic_load(&queue->finished);
    while (before < submitted &&
           !atomic_compare_exchange_weak(&queue->finished, &before, submitted))
        ;
}

uint32_t levelzero_CommandQueue_Synchronize(struct spur_loc *loc, void *queue, uint64_t timeout)
{
    struct levelzero_queue *q = levelzero_find(LEVELZERO_QUEUE, queue);
    uint64_t submitted = q ? atomic_load(&q->submitted) : 0;
    uint32_t result = next_CommandQueue_Synchronize(queue, timeout);
    if (q && result == LEVELZERO_SUCCESS)
        finished(q, submitted);
    if (loc)
        device_collect_all();
    return result;
}

uint32_t levelzero_CommandList_HostSynchronize(struct spur_loc *loc, void *list, uint64_t timeout)
{
    struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    uint64_t submitted = l ? atomic_load(&l->queue.submitted) : 0;
    uint32_t result = next_CommandList_HostSynchronize(list, timeout);
    if (l && result == LEVELZERO_SUCCESS)
        finished(&l->queue, submitted);
    if (loc)
        device_collect_all();
    return result;
}

uint32_t levelzero_Fence_Create(struct spur_loc *loc, void *queue, void *how, void *fence)
{
    uint32_t result = next_Fence_Create(queue, how, fence);
    struct levelzero_fence *f =
        result == LEVELZERO_SUCCESS ? levelzero_made(LEVELZERO_FENCE, *(void **)fence) : NULL;
    (void)loc;
    if (f)
        f->queue = levelzero_find(LEVELZERO_QUEUE, queue);
    return result;
}

static void fence_came(struct spur_loc *loc, const void *fence, uint32_t result)
{
    struct levelzero_fence *f = levelzero_find(LEVELZERO_FENCE, fence);
    if (f && f->queue && result == LEVELZERO_SUCCESS)
        finished(f->queue, atomic_load(&f->submitted));
    if (loc && result == LEVELZERO_SUCCESS)
        device_collect_all();
}

uint32_t levelzero_Fence_HostSynchronize(struct spur_loc *loc, void *fence, uint64_t timeout)
{
    uint32_t result = next_Fence_HostSynchronize(fence, timeout);
    fence_came(loc, fence, result);
    return result;
}

uint32_t levelzero_Fence_QueryStatus(struct spur_loc *loc, void *fence)
{
    uint32_t result = next_Fence_QueryStatus(fence);
    fence_came(loc, fence, result);
    return result;
}
