/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SHARED part of a report's knowledge of devices: their work, work at the same time, and causes
 * of missing work. Between its first and its last work a device is IDLE while none of its streams
 * has work. A gap ends with work that a thread has given. Until the thread gave the work, the
 * thread was late: its activity is the cause. From then on the cause is the launch.
 */
#ifndef TOOLS_REPORT_DEVICE_SUMS_H
#define TOOLS_REPORT_DEVICE_SUMS_H

#include <stdbool.h>

#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/devices/device_event.h"
#include "wrappers/device/device_marks.h"

/* ---- results ---- */

/* A device as a process uses the device in a context: a location group. Times in ticks. */
struct device {
    uint32_t device; /* location group */
    uint32_t owner;  /* process */
    uint64_t first;  /* begin of its first work */
    uint64_t last;   /* end of its last work */
    uint64_t busy;   /* time with work of any kind */
    uint64_t kernels;
    uint64_t copies;
    uint64_t both; /* kernels and copies at the same time */
    uint64_t gaps;
    uint64_t idle[IDLE_CAUSES];
    uint64_t synchronised; /* of `idle`: gaps begun while the thread was in a runtime call */
    uint64_t gap_begin;    /* the longest gap */
    uint64_t gap_end;
    uint32_t gap_location; /* location of the work behind the gap */
    uint32_t unused;
    uint64_t held_most[DEVICE_MEMORY_KINDS]; /* bytes, peak at any time */
};

static inline uint64_t device_idle(const struct device *device)
{
    uint64_t all = 0;
    for (unsigned i = 0; i < IDLE_CAUSES; i++)
        all += device->idle[i];
    return all;
}

/* All work of a region on a device. */
struct work_sum {
    uint32_t device; /* location group */
    uint32_t region;
    uint32_t kind; /* enum work_kind */
    uint32_t unused;
    uint64_t n;
    uint64_t ticks;
    uint64_t min;
    uint64_t max;
    uint64_t bytes;
    uint64_t items;
    uint64_t launches; /* work whose call is known */
    uint64_t latency;  /* sum of the times from the call to the begin of the work */
    uint64_t latency_min;
};

void work_add(struct work_sum *to, const struct work_sum *from);

/* ---- while events are read ---- */

/* A thread. */
struct device_host {
    uint32_t location;
    uint32_t cause;
    uint64_t since;
    uint64_t spent[IDLE_HOST];
};

struct device_owner {
    LIST(struct device_host) hosts;
};

/*
 * A call that gives work, and the time that its thread has spent on each activity up to the call.
 */
struct device_launch {
    uint64_t id;
    uint64_t time;
    uint64_t spent[IDLE_HOST];
    uint32_t owner;
    uint32_t host; /* index among the owner's hosts */
    uint32_t next_free;
    bool is_used; /* some of its work has ended */
};

enum { RUN_KERNEL, RUN_COPY, RUN_OTHER, RUNS };

/* Current state of a device. */
struct device_now {
    uint32_t running[RUNS];
    uint64_t since; /* end of the time that is already summed up */
    bool has_begun;
    LIST(struct device_host) at_idle; /* the owner's hosts when the device became idle */
};

/* A call may give much work: a call is forgotten after USED_LAUNCHES other calls were used. */
enum { USED_LAUNCHES = 1024 };

struct devices {
    LIST(struct device) all;
    LIST(struct work_sum) work;
    LIST(struct device_now) now; /* by index in `all` */
    LIST(struct device_owner) owners;
    LIST(struct device_launch) launches;
    struct map index_of;  /* location group to `all` */
    struct map owner_of;  /* process to `owners` */
    struct map host_of;   /* location to a host of the owner */
    struct map launch_of; /* (process, number) to `launches` */
    struct map work_of;   /* (device and region, kind) to `work` */
    uint32_t free;        /* of launches: index + 1, 0: no free launch */
    uint64_t n_used;
    uint32_t used[USED_LAUNCHES]; /* used launches, the n-th at n % USED_LAUNCHES */
};

void devices_take(struct devices *d, const struct device_event *e);

/* When all events are read: sorts devices and work in the order of their definitions. */
void devices_finish(struct devices *d);

/* Frees everything except `all` and `work`. */
void devices_forget(struct devices *d);

#endif
