/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of commands, and what is appended to them. */
#include <stdlib.h>

#include "wrappers/levelzero/levelzero.h"

/* What is still pending at the end of the process is looked at before the driver tidies up. */
static void at_exit(void)
{
    struct spur_loc *loc = spur_begin(SPUR_FAMILY_LEVELZERO, true);
    if (!loc)
        return;
    device_end();
    spur_end(loc);
}

static void register_exit(void)
{
    static atomic_flag has_handler = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&has_handler))
        (void)atexit(at_exit);
}

static void place(struct levelzero_queue *queue, void *context, void *device)
{
    if (!levelzero_is_whole())
        return;
    queue->context = levelzero_known(LEVELZERO_CONTEXT, context);
    queue->device = levelzero_known(LEVELZERO_DEVICE, device);
}

/* ---- queues and lists ---- */

static bool is_ordered(const struct levelzero_queue_desc *desc)
{
    return desc && desc->flags & LEVELZERO_QUEUE_IN_ORDER;
}

uint32_t levelzero_CommandQueue_Create(struct spur_loc *loc, void *context, void *device, void *how,
                                       void *queue)
{
    uint32_t result = next_CommandQueue_Create(context, device, how, queue);
    struct levelzero_queue *q =
        result == LEVELZERO_SUCCESS ? levelzero_made(LEVELZERO_QUEUE, *(void **)queue) : NULL;
    (void)loc;
    if (q)
        place(q, context, device);
    register_exit();
    return result;
}

uint32_t levelzero_CommandQueue_Destroy(struct spur_loc *loc, void *queue)
{
    struct levelzero_queue *q = levelzero_find(LEVELZERO_QUEUE, queue);
    struct device_stream *stream = q && loc ? atomic_load(&q->stream) : NULL;
    if (q)
        atomic_store(&q->finished, atomic_load(&q->submitted));
    if (stream)
        device_collect(stream);
    if (q)
        levelzero_stream_end(q);
    levelzero_gone(LEVELZERO_QUEUE, queue);
    return next_CommandQueue_Destroy(queue);
}

static struct levelzero_list *made_list(void *context, void *device, void *handle)
{
    struct levelzero_list *l = levelzero_made(LEVELZERO_LIST, handle);
    if (!l)
        return NULL;
    place(&l->queue, context, device);
    l->last = &l->first;
    return l;
}

uint32_t levelzero_CommandList_Create(struct spur_loc *loc, void *context, void *device, void *how,
                                      void *list)
{
    uint32_t result = next_CommandList_Create(context, device, how, list);
    (void)loc;
    if (result == LEVELZERO_SUCCESS)
        (void)made_list(context, device, *(void **)list);
    return result;
}

uint32_t levelzero_CommandList_CreateImmediate(struct spur_loc *loc, void *context, void *device,
                                               void *how, void *list)
{
    uint32_t result = next_CommandList_CreateImmediate(context, device, how, list);
    struct levelzero_list *l =
        result == LEVELZERO_SUCCESS ? made_list(context, device, *(void **)list) : NULL;
    (void)loc;
    if (l) {
        l->is_immediate = true;
        l->queue.is_in_order = is_ordered(how);
    }
    register_exit();
    return result;
}

/* Nothing of it is in use any more: the program may not empty it earlier. */
static void empty(struct levelzero_list *list)
{
    struct levelzero_command *command, *next;
    for (command = list->first; command; command = next) {
        next = command->next;
        if (command->event)
            levelzero_event_settle(command->event, true);
        if (command->event && command->event->own)
            levelzero_event_give_back(command->event);
        spur_mem_free(command, sizeof *command);
    }
    list->first = NULL;
    list->last = &list->first;
}

static void end_stream(struct levelzero_list *list, struct spur_loc *loc)
{
    struct device_stream *stream = loc ? atomic_load(&list->queue.stream) : NULL;
    atomic_store(&list->queue.finished, atomic_load(&list->queue.submitted));
    if (stream)
        device_collect(stream);
    levelzero_stream_end(&list->queue);
}

uint32_t levelzero_CommandList_Destroy(struct spur_loc *loc, void *list)
{
    struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    if (l && l->is_immediate)
        end_stream(l, loc);
    else if (l)
        empty(l);
    levelzero_gone(LEVELZERO_LIST, list);
    return next_CommandList_Destroy(list);
}

uint32_t levelzero_CommandList_Reset(struct spur_loc *loc, void *list)
{
    struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    (void)loc;
    if (l && !l->is_immediate)
        empty(l);
    return next_CommandList_Reset(list);
}

/* ---- what is appended ---- */

/* The program's event, or one of spur's. NULL: nothing can tell of the command. */
static struct levelzero_event *event_for(struct levelzero_list *list, void *event)
{
    if (!event)
        return list->queue.context ? levelzero_event_own(list->queue.context) : NULL;
    struct levelzero_event *own = levelzero_find(LEVELZERO_EVENT, event);
    return own && own->has_times ? own : NULL;
}

static void begin_now(struct levelzero_given *given, struct spur_loc *loc)
{
    given->stream = levelzero_stream(&given->list->queue);
    if (given->stream)
        given->use =
            levelzero_use_begin(given->event, &given->list->queue, given->event->own != NULL);
    if (given->use)
        given->launch = device_launch_begin(loc);
    else if (given->event->own)
        levelzero_event_give_back(given->event);
    if (!given->use)
        given->list = NULL;
}

void *levelzero_give_begin(struct levelzero_given *given, struct spur_loc *loc, bool is_wanted,
                           void *list, void *event)
{
    struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    struct levelzero_event *known = event ? levelzero_find(LEVELZERO_EVENT, event) : NULL;
    *given = (struct levelzero_given){.list = NULL};
    if (!l || !l->queue.device || !is_wanted || (l->is_immediate && !loc)) {
        if (known && l && l->is_immediate)
            levelzero_event_given(known);
        return event;
    }
    given->list = l;
    given->event = event_for(l, event);
    if (!given->event)
        return event;
    void *handle = given->event->object.handle;
    if (l->is_immediate)
        begin_now(given, loc);
    return given->list ? handle : event;
}

void levelzero_give_failed(struct levelzero_given *given)
{
    if (given->use)
        levelzero_use_cancel(given->use);
    if (given->event && given->event->own && given->list)
        levelzero_event_give_back(given->event);
}

/* One that a filter leaves out is kept as well: its event is the list's. */
static void keep(struct levelzero_given *given, const struct device_work *work)
{
    struct levelzero_command *command = spur_mem_new(sizeof *command);
    if (!command)
        return;
    *command = (struct levelzero_command){.work = *work, .event = given->event};
    *given->list->last = command;
    given->list->last = &command->next;
}

void levelzero_give_end(struct levelzero_given *given, const struct device_work *work)
{
    if (!given->list->is_immediate)
        keep(given, work);
    else if (!given->use)
        device_count_lost(1);
    else
        device_launch_end(&given->launch, given->stream, given->use, work);
    if (given->use && device_is_long(given->stream))
        device_collect(given->stream);
}
