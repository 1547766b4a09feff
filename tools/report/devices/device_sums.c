/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/devices/device_sums.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"

/* ---- threads ---- */

static struct device_owner *owner_of(struct devices *d, uint32_t owner)
{
    uint32_t index = map_index(&d->owner_of, owner, 0, d->owners.n);
    return index == d->owners.n ? LIST_ADD(&d->owners) : &d->owners.at[index];
}

static uint32_t host_of(struct devices *d, const struct device_event *e)
{
    struct device_owner *owner = owner_of(d, e->owner);
    uint32_t index = map_index(&d->host_of, e->location, 0, owner->hosts.n);
    if (index == owner->hosts.n)
        *LIST_ADD(&owner->hosts) =
            (struct device_host){.location = e->location, .cause = IDLE_PROGRAM, .since = e->time};
    return index;
}

/* As it is at that time. */
static struct device_host host_at(const struct device_host *host, uint64_t time)
{
    struct device_host now = *host;
    now.spent[now.cause] += time - now.since;
    now.since = time;
    return now;
}

static void host_does(struct devices *d, const struct device_event *e)
{
    uint32_t index = host_of(d, e);
    struct device_host *host = &owner_of(d, e->owner)->hosts.at[index];
    *host = host_at(host, e->time);
    host->cause = e->cause;
}

/* ---- calls that give work ---- */

static uint32_t new_launch(struct devices *d)
{
    uint32_t index = d->free ? d->free - 1 : (uint32_t)d->launches.n;
    if (d->free)
        d->free = d->launches.at[index].next_free;
    else
        (void)LIST_ADD(&d->launches);
    return index;
}

static void launch(struct devices *d, const struct device_event *e)
{
    uint32_t host = host_of(d, e);
    const struct device_host now = host_at(&owner_of(d, e->owner)->hosts.at[host], e->time);
    uint32_t index = map_find(&d->launch_of, e->owner, e->id);
    if (index == NIL) {
        index = new_launch(d);
        map_set(&d->launch_of, e->owner, e->id, index);
    }
    struct device_launch *l = &d->launches.at[index];
    bool was_used = l->is_used;
    *l = (struct device_launch){
        .id = e->id, .time = e->time, .owner = e->owner, .host = host, .is_used = was_used};
    memcpy(l->spent, now.spent, sizeof l->spent);
}

static const struct device_launch *find_launch(const struct devices *d,
                                               const struct device_event *e)
{
    uint32_t index = e->id == DEVICE_NO_ID ? NIL : map_find(&d->launch_of, e->owner, e->id);
    return index == NIL ? NULL : &d->launches.at[index];
}

/* Its place is that of one that was used long ago. */
static void use_launch(struct devices *d, uint32_t index)
{
    uint32_t *place = &d->used[d->n_used % USED_LAUNCHES];
    if (d->launches.at[index].is_used)
        return;
    if (d->n_used >= USED_LAUNCHES) {
        struct device_launch *old = &d->launches.at[*place];
        map_remove(&d->launch_of, old->owner, old->id);
        *old = (struct device_launch){.next_free = d->free};
        d->free = *place + 1;
    }
    d->launches.at[index].is_used = true;
    *place = index;
    d->n_used++;
}

/* ---- devices ---- */

static uint32_t device_of(struct devices *d, const struct device_event *e)
{
    uint32_t index = map_index(&d->index_of, e->device, 0, d->all.n);
    if (index == d->all.n) {
        *LIST_ADD(&d->all) = (struct device){.device = e->device, .owner = e->owner};
        (void)LIST_ADD(&d->now);
    }
    return index;
}

static unsigned run_of_kind(uint8_t kind)
{
    if (kind == WORK_KERNEL)
        return RUN_KERNEL;
    return kind >= WORK_COPY_FIRST && kind <= WORK_COPY_LAST ? RUN_COPY : RUN_OTHER;
}

static bool is_running(const struct device_now *now)
{
    return now->running[RUN_KERNEL] || now->running[RUN_COPY] || now->running[RUN_OTHER];
}

/* Up to this time it has done what it does. */
static void go_on(struct device *device, struct device_now *now, uint64_t time)
{
    uint64_t ticks = time - now->since;
    if (!is_running(now))
        return;
    device->busy += ticks;
    device->kernels += now->running[RUN_KERNEL] ? ticks : 0;
    device->copies += now->running[RUN_COPY] ? ticks : 0;
    device->both += now->running[RUN_KERNEL] && now->running[RUN_COPY] ? ticks : 0;
    now->since = time;
}

/* ---- gaps ---- */

/* What the thread has done since the device became idle; it gave the next work later. */
static void blame(struct device *device, const struct device_launch *l,
                  const struct device_host *then, uint64_t late)
{
    uint64_t known = 0;
    for (unsigned cause = IDLE_PROGRAM + 1; cause < IDLE_HOST; cause++) {
        uint64_t ticks = l->spent[cause] - then->spent[cause];
        device->idle[cause] += ticks;
        known += ticks;
    }
    device->idle[IDLE_PROGRAM] += late - known;
}

static void end_gap(struct device *device, const struct device_now *now,
                    const struct device_launch *l, const struct device_event *e)
{
    static const struct device_host unborn;
    const uint64_t gap = e->time - now->since;
    if (!gap)
        return;
    device->gaps++;
    if (gap > device->gap_end - device->gap_begin) {
        device->gap_begin = now->since;
        device->gap_end = e->time;
        device->gap_location = e->location;
    }
    if (!l) {
        device->idle[IDLE_UNKNOWN] += gap;
        return;
    }
    const struct device_host *then = l->host < now->at_idle.n ? &now->at_idle.at[l->host] : &unborn;
    const uint64_t late = l->time > now->since ? l->time - now->since : 0;
    device->idle[IDLE_LAUNCH] += gap - late;
    if (!late)
        return;
    blame(device, l, then, late);
    device->synchronised += then->cause == IDLE_WAIT || then->cause == IDLE_CALLS ? gap : 0;
}

static void begin_gap(struct devices *d, struct device_now *now, const struct device_event *e)
{
    const struct device_owner *owner = owner_of(d, e->owner);
    now->since = e->time;
    now->at_idle.n = 0;
    for (size_t i = 0; i < owner->hosts.n; i++)
        *LIST_ADD(&now->at_idle) = host_at(&owner->hosts.at[i], e->time);
}

/* ---- work ---- */

static void begin(struct devices *d, const struct device_event *e)
{
    uint32_t index = device_of(d, e);
    struct device *device = &d->all.at[index];
    struct device_now *now = &d->now.at[index];
    if (!now->has_begun)
        device->first = e->time;
    else if (!is_running(now))
        end_gap(device, now, find_launch(d, e), e);
    else
        go_on(device, now, e->time);
    now->has_begun = true;
    now->since = e->time;
    now->running[run_of_kind(e->kind)]++;
}

static void turn(struct devices *d, const struct device_event *e)
{
    uint32_t index = device_of(d, e);
    struct device_now *now = &d->now.at[index];
    go_on(&d->all.at[index], now, e->time);
    now->running[run_of_kind(e->kind_before)]--;
    now->running[run_of_kind(e->kind)]++;
}

void work_add(struct work_sum *to, const struct work_sum *from)
{
    if (!to->n || from->min < to->min)
        to->min = from->min;
    if (from->max > to->max)
        to->max = from->max;
    if (from->launches && (!to->launches || from->latency_min < to->latency_min))
        to->latency_min = from->latency_min;
    to->n += from->n;
    to->ticks += from->ticks;
    to->bytes += from->bytes;
    to->items += from->items;
    to->launches += from->launches;
    to->latency += from->latency;
}

static void count(struct devices *d, const struct device_event *e)
{
    const uint64_t ticks = e->time - e->begin;
    const struct device_launch *l = find_launch(d, e);
    struct work_sum one = {
        .n = 1, .ticks = ticks, .min = ticks, .max = ticks, .bytes = e->bytes, .items = e->items};
    if (l && l->time <= e->begin) {
        one.launches = 1;
        one.latency = one.latency_min = e->begin - l->time;
    }
    if (l)
        use_launch(d, (uint32_t)(l - d->launches.at));
    uint32_t index =
        map_index(&d->work_of, (uint64_t)e->device << 32 | e->region, e->kind, d->work.n);
    if (index == d->work.n)
        *LIST_ADD(&d->work) =
            (struct work_sum){.device = e->device, .region = e->region, .kind = e->kind};
    work_add(&d->work.at[index], &one);
}

static void end(struct devices *d, const struct device_event *e)
{
    uint32_t index = device_of(d, e);
    struct device_now *now = &d->now.at[index];
    go_on(&d->all.at[index], now, e->time);
    d->all.at[index].last = e->time;
    now->running[run_of_kind(e->kind)]--;
    if (!is_running(now))
        begin_gap(d, now, e);
    count(d, e);
}

static void hold(struct devices *d, const struct device_event *e)
{
    const uint32_t index = device_of(d, e);
    uint64_t *most = &d->all.at[index].held_most[e->kind];
    if (*most < e->bytes)
        *most = e->bytes;
}

void devices_take(struct devices *d, const struct device_event *e)
{
    switch ((enum device_what)e->what) {
    case DEVICE_HOST_DOES:
        host_does(d, e);
        break;
    case DEVICE_LAUNCHES:
        launch(d, e);
        break;
    case DEVICE_BEGINS:
        begin(d, e);
        break;
    case DEVICE_TURNS:
        turn(d, e);
        break;
    case DEVICE_ENDS:
        end(d, e);
        break;
    case DEVICE_HOLDS:
        hold(d, e);
        break;
    }
}

/* ---- the end ---- */

static int by_device(const void *a, const void *b)
{
    const struct device *x = a;
    const struct device *y = b;
    return (x->device > y->device) - (x->device < y->device);
}

static int by_work(const void *a, const void *b)
{
    const struct work_sum *x = a;
    const struct work_sum *y = b;
    if (x->device != y->device)
        return x->device > y->device ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind > y->kind ? 1 : -1;
    return (x->region > y->region) - (x->region < y->region);
}

void devices_finish(struct devices *d)
{
    LIST_SORT(&d->all, by_device);
    LIST_SORT(&d->work, by_work);
}

void devices_forget(struct devices *d)
{
    void *const all[] = {d->index_of.slots,  d->owner_of.slots, d->host_of.slots,
                         d->launch_of.slots, d->work_of.slots,  d->launches.at};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
    for (size_t i = 0; i < d->now.n; i++)
        free(d->now.at[i].at_idle.at);
    for (size_t i = 0; i < d->owners.n; i++)
        free(d->owners.at[i].hosts.at);
    free(d->now.at);
    free(d->owners.at);
}
