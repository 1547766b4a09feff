/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that spur has to do with: devices get numbers, events get times. */
#include "wrappers/levelzero/levelzero.h"

/* ---- devices ---- */

uint32_t levelzero_Device_Get(struct spur_loc *loc, void *driver, void *n, void *devices)
{
    uint32_t result = next_Device_Get(driver, n, devices);
    void *const *handle = devices;
    (void)loc;
    for (uint32_t i = 0; result == LEVELZERO_SUCCESS && handle && i < *(uint32_t *)n; i++) {
        struct levelzero_device *device = levelzero_known(LEVELZERO_DEVICE, handle[i]);
        if (device)
            device->number = i + 1;
    }
    return result;
}

uint32_t levelzero_Device_GetSubDevices(struct spur_loc *loc, void *device, void *n, void *devices)
{
    uint32_t result = next_Device_GetSubDevices(device, n, devices);
    const struct levelzero_device *whole = levelzero_find(LEVELZERO_DEVICE, device);
    void *const *handle = devices;
    (void)loc;
    for (uint32_t i = 0; result == LEVELZERO_SUCCESS && handle && i < *(uint32_t *)n; i++) {
        struct levelzero_device *part = levelzero_known(LEVELZERO_DEVICE, handle[i]);
        if (part && whole && whole->number) {
            part->number = whole->number;
            part->part = i + 1;
        }
    }
    return result;
}

/* Events of spur's are gone before the context is. */
uint32_t levelzero_Context_Destroy(struct spur_loc *loc, void *context)
{
    struct levelzero_context *c = levelzero_find(LEVELZERO_CONTEXT, context);
    if (c && loc)
        device_collect_all();
    if (c)
        levelzero_events_end(c);
    levelzero_gone(LEVELZERO_CONTEXT, context);
    return next_Context_Destroy(context);
}

/* ---- events ---- */

/* A pool that other processes share cannot have times. */
static bool may_have_times(const struct levelzero_pool_desc *desc)
{
    return desc && !(desc->flags & LEVELZERO_POOL_IPC);
}

static bool is_timed(uint32_t flags)
{
    return flags & LEVELZERO_POOL_HOST_VISIBLE &&
           flags & (LEVELZERO_POOL_TIMESTAMP | LEVELZERO_POOL_MAPPED_TIMESTAMP);
}

uint32_t levelzero_EventPool_Create(struct spur_loc *loc, void *context, void *how, uint32_t n,
                                    void *devices, void *pool)
{
    const struct levelzero_pool_desc *asked = how;
    struct levelzero_pool_desc desc = {.kind = LEVELZERO_POOL_DESC};
    uint32_t result = LEVELZERO_NOT_READY;
    (void)loc;
    if (may_have_times(asked)) {
        desc = *asked;
        desc.flags |= LEVELZERO_POOL_HOST_VISIBLE;
        if (!is_timed(desc.flags))
            desc.flags |= LEVELZERO_POOL_TIMESTAMP;
        result = next_EventPool_Create(context, &desc, n, devices, pool);
    }
    bool is_changed = result == LEVELZERO_SUCCESS;
    if (!is_changed)
        result = next_EventPool_Create(context, how, n, devices, pool);
    struct levelzero_pool *p =
        result == LEVELZERO_SUCCESS ? levelzero_made(LEVELZERO_POOL, *(void **)pool) : NULL;
    if (p)
        p->has_times = is_changed;
    return result;
}

uint32_t levelzero_Event_Create(struct spur_loc *loc, void *pool, void *how, void *event)
{
    uint32_t result = next_Event_Create(pool, how, event);
    const struct levelzero_pool *p = levelzero_find(LEVELZERO_POOL, pool);
    struct levelzero_event *e =
        result == LEVELZERO_SUCCESS ? levelzero_made(LEVELZERO_EVENT, *(void **)event) : NULL;
    (void)loc;
    if (e)
        e->has_times = p && p->has_times;
    return result;
}

static void settle(const void *event)
{
    struct levelzero_event *e = levelzero_find(LEVELZERO_EVENT, event);
    if (e)
        levelzero_event_settle(e, false);
}

uint32_t levelzero_Event_Destroy(struct spur_loc *loc, void *event)
{
    (void)loc;
    settle(event);
    levelzero_gone(LEVELZERO_EVENT, event);
    return next_Event_Destroy(event);
}

uint32_t levelzero_Event_HostReset(struct spur_loc *loc, void *event)
{
    (void)loc;
    settle(event);
    return next_Event_HostReset(event);
}

/* A list that is not immediate resets it when it is handed over. */
uint32_t levelzero_CommandList_AppendEventReset(struct spur_loc *loc, void *list, void *event)
{
    const struct levelzero_list *l = levelzero_find(LEVELZERO_LIST, list);
    (void)loc;
    if (l && l->is_immediate)
        settle(event);
    return next_CommandList_AppendEventReset(list, event);
}

uint32_t levelzero_Event_HostSynchronize(struct spur_loc *loc, void *event, uint64_t timeout)
{
    uint32_t result = next_Event_HostSynchronize(event, timeout);
    if (loc)
        device_collect_all();
    return result;
}

uint32_t levelzero_Event_QueryStatus(struct spur_loc *loc, void *event)
{
    uint32_t result = next_Event_QueryStatus(event);
    if (loc && result == LEVELZERO_SUCCESS)
        device_collect_all();
    return result;
}
