/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks, devices, queues, lists and events. Part of fake_driver.c. */
#ifndef TESTS_FAKE_OBJECTS_H
#define TESTS_FAKE_OBJECTS_H

#include "fake_levelzero.h"

/* ---- clocks ---- */

/* The clock begins so that it soon goes round. */
static uint64_t cycles(uint64_t ns, unsigned bits)
{
    uint64_t since = ns - first, n = since / NS * HZ + since % NS * HZ / NS;
    if (has("old"))
        n = since / OLD_NS_CYCLE;
    return (n - SOON / NS - HZ / 4) & ((UINT64_C(1) << bits) - 1);
}

static ze_result_t get_times(ze_device_handle_t device, uint64_t *host, uint64_t *time)
{
    (void)device;
    *host = 42; /* of an unknown clock */
    *time = cycles(now(), CLOCK_BITS);
    return ZE_RESULT_SUCCESS;
}

/* ---- drivers and devices ---- */

static ze_result_t init(ze_init_flags_t flags)
{
    (void)flags;
    if (!first)
        first = now();
    return ZE_RESULT_SUCCESS;
}

static ze_result_t get_drivers(uint32_t *n, ze_driver_handle_t *drivers)
{
    if (*n && drivers)
        drivers[0] = (ze_driver_handle_t)&driver;
    *n = 1;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t give(uint32_t *n, ze_device_handle_t *to, struct device *from, uint32_t all)
{
    for (uint32_t i = 0; to && i < *n && i < all; i++)
        to[i] = (ze_device_handle_t)&from[i];
    *n = *n && *n < all ? *n : all;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t get_devices(ze_driver_handle_t of, uint32_t *n, ze_device_handle_t *to)
{
    (void)of;
    return give(n, to, devices, DEVICES);
}

static ze_result_t get_parts(ze_device_handle_t of, uint32_t *n, ze_device_handle_t *to)
{
    return give(n, to, parts, ((struct device *)of)->number == 1 ? PARTS : 0);
}

static ze_result_t get_properties(ze_device_handle_t device, ze_device_properties_t *is)
{
    const struct device *d = (const struct device *)device;
    if (is->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2 && has("old"))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    is->type = ZE_DEVICE_TYPE_GPU;
    is->flags = d->part ? ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE : 0;
    is->timerResolution = is->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES ? OLD_NS_CYCLE : HZ;
    is->timestampValidBits = CLOCK_BITS;
    is->kernelTimestampValidBits = KERNEL_BITS;
    strcpy(is->name, "Fake Xe");
    return ZE_RESULT_SUCCESS;
}

/* ---- objects ---- */

static void *new_object(struct context *context, size_t bytes, void *handle)
{
    void *object = calloc(1, bytes);
    if (context)
        __atomic_fetch_add(&context->objects, 1, __ATOMIC_RELAXED);
    memcpy(handle, &object, sizeof object);
    return object;
}

static ze_result_t end_object(struct context *context, void *object)
{
    if (context)
        __atomic_fetch_sub(&context->objects, 1, __ATOMIC_RELAXED);
    free(object);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t make_context(ze_driver_handle_t of, const ze_context_desc_t *how,
                                ze_context_handle_t *context)
{
    (void)of;
    (void)how;
    new_object(NULL, sizeof(struct context), context);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_context(ze_context_handle_t context)
{
    if (((struct context *)context)->objects)
        return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
    return end_object(NULL, context);
}

static ze_result_t make_queue(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_command_queue_desc_t *how, ze_command_queue_handle_t *queue)
{
    struct queue *q = new_object((struct context *)context, sizeof *q, queue);
    (void)how;
    q->device = ((struct device *)device)->number;
    q->context = (struct context *)context;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_queue(ze_command_queue_handle_t queue)
{
    return end_object(((struct queue *)queue)->context, queue);
}

static ze_result_t make_list(ze_context_handle_t context, ze_device_handle_t device,
                             const ze_command_list_desc_t *how, ze_command_list_handle_t *list)
{
    struct list *l = new_object((struct context *)context, sizeof *l, list);
    (void)device;
    (void)how;
    l->queue.context = (struct context *)context;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t make_immediate(ze_context_handle_t context, ze_device_handle_t device,
                                  const ze_command_queue_desc_t *how,
                                  ze_command_list_handle_t *list)
{
    struct list *l = new_object((struct context *)context, sizeof *l, list);
    l->queue.device = ((struct device *)device)->number;
    l->queue.context = (struct context *)context;
    l->queue.is_in_order = how->flags & POOL_FLAG_IN_ORDER;
    l->is_immediate = true;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_list(ze_command_list_handle_t list)
{
    return end_object(((struct list *)list)->queue.context, list);
}

static ze_result_t close_list(ze_command_list_handle_t list)
{
    ((struct list *)list)->is_closed = true;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t reset_list(ze_command_list_handle_t list)
{
    ((struct list *)list)->is_closed = false;
    ((struct list *)list)->n = 0;
    return ZE_RESULT_SUCCESS;
}

/* ---- events ---- */

static ze_result_t make_pool(ze_context_handle_t context, const ze_event_pool_desc_t *how,
                             uint32_t n, ze_device_handle_t *for_devices,
                             ze_event_pool_handle_t *pool)
{
    (void)n;
    (void)for_devices;
    if (how->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP &&
        (how->flags & ZE_EVENT_POOL_FLAG_IPC || has("untimed")))
        return ZE_RESULT_ERROR_INVALID_ENUMERATION;
    struct pool *p = new_object((struct context *)context, sizeof *p, pool);
    p->context = (struct context *)context;
    p->flags = how->flags;
    p->n = how->count;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_pool(ze_event_pool_handle_t pool)
{
    struct pool *p = (struct pool *)pool;
    return p->events ? ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE : end_object(p->context, p);
}

static ze_result_t make_event(ze_event_pool_handle_t pool, const ze_event_desc_t *how,
                              ze_event_handle_t *event)
{
    struct pool *p = (struct pool *)pool;
    if (how->index >= p->n)
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    struct event *e = new_object(p->context, sizeof *e, event);
    e->pool = p;
    e->end = UINT64_MAX;
    __atomic_fetch_add(&p->events, 1, __ATOMIC_RELAXED);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t end_event(ze_event_handle_t event)
{
    struct event *e = (struct event *)event;
    __atomic_fetch_sub(&e->pool->events, 1, __ATOMIC_RELAXED);
    return end_object(e->pool->context, e);
}

static void signal_event(struct event *event, uint64_t begin, uint64_t end)
{
    if (!event)
        return;
    event->begin = begin;
    event->end = end;
    event->reset = UINT64_MAX;
}

static ze_result_t host_signal(ze_event_handle_t event)
{
    uint64_t time = now();
    pthread_mutex_lock(&lock);
    signal_event((struct event *)event, time, time);
    pthread_mutex_unlock(&lock);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t host_reset(ze_event_handle_t event)
{
    pthread_mutex_lock(&lock);
    ((struct event *)event)->end = UINT64_MAX;
    pthread_mutex_unlock(&lock);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t query_status(ze_event_handle_t event)
{
    const struct event *e = (const struct event *)event;
    uint64_t time = now();
    if (!(e->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    bool is_signalled = e->end <= time && time < e->reset;
    pthread_mutex_unlock(&lock);
    return is_signalled ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

static ze_result_t wait_event(ze_event_handle_t event, uint64_t timeout)
{
    (void)timeout;
    ze_result_t result;
    while ((result = query_status(event)) == ZE_RESULT_NOT_READY)
        sleep_until(now() + NS / 10000);
    return result;
}

static ze_result_t query_times(ze_event_handle_t event, ze_kernel_timestamp_result_t *to)
{
    const struct event *e = (const struct event *)event;
    if (!(e->pool->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP))
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    pthread_mutex_lock(&lock);
    to->global.kernelStart = cycles(e->begin, KERNEL_BITS);
    to->global.kernelEnd = cycles(e->end, KERNEL_BITS);
    pthread_mutex_unlock(&lock);
    to->context = to->global;
    return ZE_RESULT_SUCCESS;
}

#endif
