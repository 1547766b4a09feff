/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of devices. */
#include <math.h>
#include <stdlib.h>

#include "tools/report/show/report_sections.h"

bool has_device(const struct report *r, uint32_t device)
{
    for (size_t i = 0; i < r->defs.locations.n; i++)
        if (r->defs.locations.at[i].process == device && r->is_selected[i])
            return true;
    return false;
}

static uint64_t streams_of(const struct report *r, uint32_t device)
{
    uint64_t n = 0;
    for (size_t i = 0; i < r->defs.locations.n; i++)
        n += r->defs.locations.at[i].process == device && r->profile.streams[i].watch.has_worked;
    return n;
}

/* ---- by device ---- */

static const struct column columns_devices[] = {
    {"device", "device", UNIT_TEXT, EVERYWHERE, "name of the location group"},
    {"process", "process", UNIT_TEXT, UNLESS_SAME, "the process that uses it"},
    {"streams", "streams", UNIT_COUNT, EVERYWHERE, "locations with work: queues and their lanes"},
    {"span", "span", UNIT_SECONDS, EVERYWHERE,
     "seconds from the begin of its first work to the end of its last work"},
    {"busy", "busy", UNIT_SECONDS, EVERYWHERE, "seconds in which a stream or more has work"},
    {"busy_percent", "busy %", UNIT_PERCENT, EVERYWHERE, "`busy` in percent of `span`"},
    {"kernels", "kernels", UNIT_SECONDS, EVERYWHERE, "seconds in which a kernel or more runs"},
    {"copies", "copies", UNIT_SECONDS, EVERYWHERE, "seconds in which a copy or fill or more runs"},
    {"overlap", "overlap", UNIT_SECONDS, UNLESS_ZERO, "seconds in which both run"},
    {"overlap_percent", "overlap %", UNIT_PERCENT, UNLESS_ZERO, "`overlap` in percent of `copies`"},
    {"gaps", "gaps", UNIT_COUNT, EVERYWHERE, "how often it had no work between two works"},
    {"idle", "idle", UNIT_SECONDS, EVERYWHERE, "seconds without work within `span`"},
    {"longest", "longest", UNIT_SECONDS, EVERYWHERE, "the longest gap"},
    {"synchronised", "after waiting", UNIT_SECONDS, UNLESS_ZERO,
     "seconds of the gaps that began while that thread was in a call of the runtime: with more "
     "work given ahead they would be shorter"},
    {"memory", "memory", UNIT_BYTES, UNLESS_ZERO, "the most memory of the device that it held"},
    {"managed", "managed", UNIT_BYTES, UNLESS_ZERO, "the most memory that it shared with the host"},
    {"pinned", "pinned", UNIT_BYTES, UNLESS_ZERO, "the most memory of the host that it had pinned"},
};

static void fill_devices(struct report *r, struct table *t)
{
    for (size_t i = 0; i < r->devices.all.n; i++) {
        const struct device *d = &r->devices.all.at[i];
        if (!has_device(r, d->device))
            continue;
        ROW(t, defs_process_name(&r->defs, d->device), defs_process_name(&r->defs, d->owner),
            streams_of(r, d->device), d->last - d->first, d->busy,
            percent_of(d->busy, d->last - d->first), d->kernels, d->copies, d->both,
            percent_of(d->both, d->copies), d->gaps, device_idle(d), d->gap_end - d->gap_begin,
            d->synchronised);
        for (unsigned kind = 0; kind < DEVICE_MEMORY_KINDS; kind++)
            ROW(t, d->held_most[kind]);
    }
}

static bool has_devices(const struct report *r)
{
    return r->devices.all.n != 0;
}

SECTION(devices, "devices", "Devices",
        "what devices do, what they do at once, and how long they do nothing",
        .is_of_interest = has_devices)

/* ---- why they are idle ---- */

static const struct column columns_device_idle[] = {
    {"device", "device", UNIT_TEXT, EVERYWHERE, "as in the table `devices`"},
    {"process", "process", UNIT_TEXT, UNLESS_SAME, "the process that uses it"},
    {"cause", "cause", UNIT_TEXT, EVERYWHERE,
     "what the thread that gives the next work does up to then: `program`, `MPI`, `waiting` in "
     "calls that wait for devices, such as clFinish, `calls`: other calls of the runtime, among "
     "them copies that block; `launch`: the next work is given, but has not begun; `unknown`: the "
     "call that has given it is not known"},
    {"idle", "idle", UNIT_SECONDS, EVERYWHERE, "seconds without work for this cause"},
    {"idle_percent", "idle %", UNIT_PERCENT, EVERYWHERE, "in percent of `idle` of the device"},
};

static void fill_device_idle(struct report *r, struct table *t)
{
    static const char *const causes[IDLE_CAUSES] = {
        [IDLE_PROGRAM] = "program", [IDLE_MPI] = "MPI",       [IDLE_WAIT] = "waiting",
        [IDLE_CALLS] = "calls",     [IDLE_LAUNCH] = "launch", [IDLE_UNKNOWN] = "unknown",
    };
    for (size_t i = 0; i < r->devices.all.n; i++) {
        const struct device *d = &r->devices.all.at[i];
        for (unsigned cause = 0; cause < IDLE_CAUSES && has_device(r, d->device); cause++) {
            if (!d->idle[cause])
                continue;
            ROW(t, defs_process_name(&r->defs, d->device), defs_process_name(&r->defs, d->owner),
                causes[cause], d->idle[cause], percent_of(d->idle[cause], device_idle(d)));
        }
    }
}

SECTION(device_idle, "devices", "Idle devices", "why devices do nothing between two works",
        .sort = "idle", .is_of_interest = has_devices)

/* ---- work of all devices ---- */

/* By region and kind, of those from `first` to `last`; returns how many there are. */
static size_t add_up(const struct report *r, unsigned first, unsigned last, struct work_sum *sums,
                     uint64_t *devices)
{
    struct map index_of = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->devices.work.n; i++) {
        const struct work_sum *work = &r->devices.work.at[i];
        if (work->kind < first || work->kind > last || !has_device(r, work->device))
            continue;
        uint32_t index = map_index(&index_of, work->region, work->kind, n);
        if (index == n) {
            sums[n] = (struct work_sum){.region = work->region, .kind = work->kind};
            devices[n++] = 0;
        }
        work_add(&sums[index], work);
        devices[index]++;
    }
    free(index_of.slots);
    return n;
}

/* From the call to the begin; nothing if no call is known. */
static void put_latency(struct report *r, struct table *t, const struct work_sum *sum)
{
    if (!sum->launches) {
        ROW(t, nothing, nothing);
        return;
    }
    ROW(t, defs_seconds(&r->defs, sum->latency) / (double)sum->launches, sum->latency_min);
}

#define LATENCY_COLUMNS                                                                            \
    {"latency", "latency", UNIT_SECONDS, EVERYWHERE,                                               \
     "mean of the seconds from the call that gives it to its begin; null: no call is known"},      \
    {                                                                                              \
        "latency_min", "least", UNIT_SECONDS, EVERYWHERE, "the least of them"                      \
    }

/* ---- kernels ---- */

static const struct column columns_device_kernels[] = {
    {"kernel", "kernel", UNIT_TEXT, EVERYWHERE, "name of the kernel"},
    {"calls", "calls", UNIT_COUNT, EVERYWHERE, "how often it ran"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds, sum of all streams"},
    {"time_percent", "time %", UNIT_PERCENT, EVERYWHERE,
     "`time` in percent of that of all kernels"},
    {"min", "min", UNIT_SECONDS, EVERYWHERE, "the shortest"},
    {"avg", "avg", UNIT_SECONDS, EVERYWHERE, "mean"},
    {"max", "max", UNIT_SECONDS, EVERYWHERE, "the longest"},
    {"items", "work items", UNIT_COUNT, EVERYWHERE, "sum of all calls"},
    {"devices", "devices", UNIT_COUNT, UNLESS_SAME, "how many ran it"},
    LATENCY_COLUMNS,
};

static void fill_device_kernels(struct report *r, struct table *t)
{
    struct work_sum *sums = take_memory((r->devices.work.n + 1) * sizeof *sums);
    uint64_t *devices = take_memory((r->devices.work.n + 1) * sizeof *devices);
    const size_t n = add_up(r, WORK_KERNEL, WORK_KERNEL, sums, devices);
    uint64_t all = 0;
    for (size_t i = 0; i < n; i++)
        all += sums[i].ticks;
    for (size_t i = 0; i < n; i++) {
        ROW(t, defs_region_name(&r->defs, sums[i].region), sums[i].n, sums[i].ticks,
            percent_of(sums[i].ticks, all), sums[i].min,
            defs_seconds(&r->defs, sums[i].ticks) / (double)sums[i].n, sums[i].max, sums[i].items,
            devices[i]);
        put_latency(r, t, &sums[i]);
    }
    free(sums);
    free(devices);
}

SECTION(device_kernels, "devices", "Kernels", "time of devices by kernel", .sort = "time",
        .is_of_interest = has_devices)

/* ---- copies ---- */

static const struct column columns_device_copies[] = {
    {"operation", "operation", UNIT_TEXT, EVERYWHERE, "such as `read buffer`"},
    {"direction", "direction", UNIT_TEXT, EVERYWHERE,
     "`to device`, `to host`, `on device`, `fill`; `other`: what moves no bytes that are known"},
    {"count", "count", UNIT_COUNT, EVERYWHERE, "how often"},
    {"bytes", "bytes", UNIT_BYTES, EVERYWHERE, "bytes"},
    {"avg_bytes", "avg", UNIT_NUMBER, DATA_ONLY, "mean of the bytes"},
    {"time", "time", UNIT_SECONDS, EVERYWHERE, "seconds, sum of all streams"},
    {"max", "longest", UNIT_SECONDS, EVERYWHERE, "the longest"},
    {"bandwidth", "bandwidth", UNIT_RATE, EVERYWHERE, "`bytes` by `time`"},
    {"devices", "devices", UNIT_COUNT, UNLESS_SAME, "how many did it"},
    LATENCY_COLUMNS,
};

static void fill_device_copies(struct report *r, struct table *t)
{
    static const char *const directions[] = {
        [WORK_TO_DEVICE] = "to device", [WORK_TO_HOST] = "to host", [WORK_ON_DEVICE] = "on device",
        [WORK_FILL] = "fill",           [WORK_OTHER] = "other",
    };
    struct work_sum *sums = take_memory((r->devices.work.n + 1) * sizeof *sums);
    uint64_t *devices = take_memory((r->devices.work.n + 1) * sizeof *devices);
    const size_t n = add_up(r, WORK_COPY_FIRST, WORK_OTHER, sums, devices);
    for (size_t i = 0; i < n; i++) {
        const double seconds = defs_seconds(&r->defs, sums[i].ticks);
        ROW(t, defs_region_name(&r->defs, sums[i].region), directions[sums[i].kind], sums[i].n,
            sums[i].bytes, (double)sums[i].bytes / (double)sums[i].n, seconds, sums[i].max,
            sums[i].bytes && sums[i].ticks ? (double)sums[i].bytes / seconds : (double)NAN,
            devices[i]);
        put_latency(r, t, &sums[i]);
    }
    free(sums);
    free(devices);
}

SECTION(device_copies, "devices", "Copies of devices",
        "copies and fills by what the program asks for", .sort = "time",
        .is_of_interest = has_devices)
