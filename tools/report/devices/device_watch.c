/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/devices/device_watch.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "wrappers/device/device_marks.h"

uint8_t *watch_all(const struct defs *d)
{
    uint8_t *watched = NULL;
    bool *has_devices = take_memory((d->processes.n + 1) * sizeof *has_devices);
    for (uint32_t i = 0; i < d->locations.n; i++) {
        if (d->locations.at[i].type != OTF2_LOCATION_TYPE_ACCELERATOR_STREAM)
            continue;
        watched = watched ? watched : take_memory(d->locations.n * sizeof *watched);
        watched[i] = WATCH_STREAM;
        has_devices[defs_owner(d, i)] = true;
    }
    for (uint32_t i = 0; i < d->locations.n; i++) {
        if (d->locations.at[i].type != OTF2_LOCATION_TYPE_METRIC ||
            !d->processes.at[d->locations.at[i].process].is_device)
            continue;
        watched = watched ? watched : take_memory(d->locations.n * sizeof *watched);
        watched[i] = WATCH_MEMORY;
    }
    for (uint32_t i = 0; watched && i < d->locations.n; i++)
        if (d->locations.at[i].type == OTF2_LOCATION_TYPE_CPU_THREAD &&
            has_devices[d->locations.at[i].process])
            watched[i] = WATCH_HOST;
    free(has_devices);
    return watched;
}

/* `NAME (device 0)` and `NAME (device 0, context 1)`; a name may become known between them. */
static bool is_context_of(const char *name, const char *device)
{
    const char *number = strrchr(device, '('), *in_name = strrchr(name, '(');
    const size_t n = number ? strlen(number) : 0;
    return n && in_name && strncmp(in_name, number, n - 1) == 0 && in_name[n - 1] == ',';
}

uint32_t watch_device(const struct defs *d, uint32_t location)
{
    const uint32_t own = d->locations.at[location].process;
    const char *device = defs_process_name(d, own);
    const char *name = defs_text(d, d->locations.at[location].name); /* it may have lanes */
    if (strncmp(name, DEVICE_UNIFIED, sizeof DEVICE_UNIFIED - 1) != 0)
        return own;
    for (uint32_t i = 0; i < d->processes.n; i++)
        if (d->processes.at[i].is_device &&
            d->processes.at[i].creator == d->processes.at[own].creator &&
            is_context_of(defs_process_name(d, i), device))
            return i;
    return own;
}

/* ---- threads ---- */

/* UNKNOWN is Level Zero's. */
static bool is_of_devices(OTF2_Paradigm paradigm)
{
    return paradigm == OTF2_PARADIGM_UNKNOWN || paradigm == OTF2_PARADIGM_OPENCL ||
           paradigm == OTF2_PARADIGM_CUDA || paradigm == OTF2_PARADIGM_HIP ||
           paradigm == OTF2_PARADIGM_OPENACC;
}

static enum idle_cause cause_of(const struct region *region)
{
    if (region->paradigm == OTF2_PARADIGM_MPI)
        return IDLE_MPI;
    if (!is_of_devices(region->paradigm))
        return IDLE_PROGRAM;
    return region->role == OTF2_REGION_ROLE_ARTIFICIAL ? IDLE_WAIT : IDLE_CALLS;
}

/* The outermost call counts. */
bool watch_enter(struct device_watch *w, const struct defs *d, uint32_t region, size_t depth,
                 struct device_event *e)
{
    enum idle_cause cause = cause_of(&d->regions.at[region]);
    if (w->what != WATCH_HOST || w->cause != IDLE_PROGRAM || cause == IDLE_PROGRAM)
        return false;
    w->cause = (uint8_t)cause;
    w->depth = depth;
    *e = (struct device_event){.what = DEVICE_HOST_DOES, .cause = w->cause};
    return true;
}

static bool end_call(struct device_watch *w, struct device_event *e)
{
    if (w->cause == IDLE_PROGRAM)
        return false;
    w->cause = IDLE_PROGRAM;
    *e = (struct device_event){.what = DEVICE_HOST_DOES, .cause = IDLE_PROGRAM};
    return true;
}

static bool end_work(struct device_watch *w, struct device_event *e)
{
    if (!w->is_open)
        return false;
    w->is_open = false;
    *e = (struct device_event){.what = DEVICE_ENDS,
                               .kind = w->kind,
                               .region = w->region,
                               .begin = w->begin,
                               .id = w->id,
                               .bytes = w->bytes,
                               .items = w->items};
    return true;
}

bool watch_leave(struct device_watch *w, size_t depth, struct device_event *e)
{
    if (depth >= w->depth)
        return false;
    return w->what == WATCH_STREAM ? end_work(w, e) : end_call(w, e);
}

/* ---- streams ---- */

/*
 * What spur has recorded says how many work items a kernel has, and how many bytes all else but
 * what moves none. What others have recorded is a kernel, unless it copies.
 */
static enum work_kind kind_of(const struct defs *d, bool has_items, bool has_bytes)
{
    if (has_items || d->work_items == OTF2_UNDEFINED_ATTRIBUTE)
        return WORK_KERNEL;
    return has_bytes ? WORK_FILL : WORK_OTHER;
}

bool watch_begin(struct device_watch *w, const struct defs *d, uint32_t region, size_t depth,
                 uint64_t time, const OTF2_AttributeList *attributes, struct device_event *e)
{
    /* Waiting is no work, and ranges of the program are none of a device. */
    if (w->what != WATCH_STREAM || w->is_open ||
        d->regions.at[region].role == OTF2_REGION_ROLE_ARTIFICIAL ||
        d->regions.at[region].paradigm == OTF2_PARADIGM_USER)
        return false;
    w->id = DEVICE_NO_ID;
    w->bytes = w->items = 0;
    (void)defs_number_in(attributes, d->work_id, &w->id);
    bool has_bytes = defs_number_in(attributes, d->work_bytes, &w->bytes);
    bool has_items = defs_number_in(attributes, d->work_items, &w->items);
    w->kind = (uint8_t)kind_of(d, has_items, has_bytes);
    w->is_open = w->has_worked = true;
    w->region = region;
    w->depth = depth;
    w->begin = time;
    *e = (struct device_event){.what = DEVICE_BEGINS, .kind = w->kind, .id = w->id};
    return true;
}

bool watch_hold(const struct device_watch *w, uint8_t kind, uint64_t bytes, struct device_event *e)
{
    *e = (struct device_event){.what = DEVICE_HOLDS, .kind = kind, .bytes = bytes};
    return w->what == WATCH_MEMORY;
}

bool watch_copy(struct device_watch *w, const struct defs *d, bool is_put, uint32_t peer,
                uint64_t bytes, struct device_event *e)
{
    const bool is_host = peer != NIL && !d->processes.at[peer].is_device;
    const enum work_kind to_or_from_host = is_put ? WORK_TO_HOST : WORK_TO_DEVICE;
    const uint8_t before = w->kind;
    if (!w->is_open)
        return false;
    w->kind = (uint8_t)(is_host ? to_or_from_host : WORK_ON_DEVICE);
    w->bytes = bytes;
    *e = (struct device_event){.what = DEVICE_TURNS, .kind = w->kind, .kind_before = before};
    return w->kind != before;
}
