/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the families of devices share. A context of a device has streams; what is given to a stream
 * is pending until somebody finds it done, and is recorded then. Nobody waits for a device, and
 * there is no helper thread: a family collects where the program synchronises, and now and then
 * where it gives work. A runtime may also tell by itself what is done, in any order.
 *
 * All functions are called within a recorded call of the family, or with the guard up, but for
 * those that say otherwise. Any thread. What was pending in a parent is nothing to its child of
 * fork().
 */
#ifndef WRAPPERS_DEVICE_H
#define WRAPPERS_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"
#include "wrappers/device/device_marks.h"
#include "wrappers/kit/wrapper_lock.h"

/* Times of the device, in ns. */
struct device_times {
    uint64_t queued; /* when the host has given it the work, as the device's clock tells; 0: not */
    uint64_t begin, end;
};

enum device_state { DEVICE_PENDING, DEVICE_DONE, DEVICE_FAILED };

/* A runtime. Its functions are called without any lock; one thread at a time for a handle. */
struct device_runtime {
    enum spur_family family;
    OTF2_Paradigm paradigm;
    const char *stream; /* what a stream is called: "Queue" */
    /* What has become of it: with DONE its times. The runtime has both or none. */
    enum device_state (*look)(void *handle, struct device_times *times);
    /* It is not pending any more. */
    void (*drop)(void *handle);
};

struct device_context;
struct device_stream;

/* The context of these two keys, which is made with that name if it is new. NULL: no memory. */
struct device_context *device_context_of(const struct device_runtime *runtime, const void *key,
                                         const void *other_key, const char *name);
/* One that was given back, or a new one. NULL: nothing can be recorded. */
struct device_stream *device_stream_take(struct device_context *context, bool is_in_order);
/* A new one. */
struct device_stream *device_stream_new(struct device_context *context, bool is_in_order);
/* That of this number of the runtime's, or a new one, which is never given back. */
struct device_stream *device_stream_numbered(struct device_context *context, uint32_t number);
/* That of a queue of the runtime's, where it tells no stream: from 1 on. 0: of copies in none. */
struct device_stream *device_stream_of_queue(struct device_context *context, uint32_t number);
/* That for waiting, which is no work of the device. */
struct device_stream *device_stream_of_waits(struct device_context *context);
/* That for memory that moves when somebody needs it; no call has given this. */
struct device_stream *device_stream_of_migrations(struct device_context *context);
/* The program's name for it, which counts if none of its work is recorded yet. */
void device_stream_name(struct device_stream *stream, const char *name);
/* Nothing more is given to it. Anywhere. */
void device_stream_give(struct device_stream *stream);
/* A number that changes when streams become invalid: in a child of fork(). */
uint32_t device_generation(void);

/* The region of what it does, by its name; undefined if a filter leaves it out. */
enum device_kind { DEVICE_KERNEL, DEVICE_COPY, DEVICE_OTHER, DEVICE_KINDS };
OTF2_RegionRef device_region(enum spur_family family, const char *name, enum device_kind kind);

/* What a device is to do. */
enum device_way { DEVICE_NOWHERE, DEVICE_FILL, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEVICE_ON_DEVICE };
struct device_work {
    OTF2_RegionRef region; /* undefined: it is not recorded */
    enum device_way way;
    uint64_t bytes;              /* unless NOWHERE */
    uint64_t items, group_items; /* of a kernel; 0: not said */
    uint64_t registers, shared;  /* of each item, and bytes of each group; 0: not said */
    uint64_t graph, node;        /* numbers of the runtime's; 0: it is of no graph */
};

/* The call that gives work to a device, while it lasts. */
struct device_launch {
    uint64_t id;
    uint64_t begin, end; /* times of the trace */
};
/* Before the real call: says in the call's region which work it gives. */
struct device_launch device_launch_begin(struct spur_loc *loc);
/* After it: the device has got `work`, and `handle` tells of it, from now on the runtime's. */
void device_launch_end(struct device_launch *launch, struct device_stream *stream, void *handle,
                       const struct device_work *work);

/* ---- a runtime that tells by itself ---- */

/* The clock that device_clock_told() takes, in ns. Anywhere. */
uint64_t device_host_ns(void);
/* The device's clock showed `device` when that of the host was between these two. */
void device_clock_told(struct device_context *context, uint64_t device, uint64_t least,
                       uint64_t most);
/* It is done; recorded with device_told_all() at the latest. Launch 0: no call has given it. */
void device_told(struct device_stream *stream, const struct device_launch *launch,
                 const struct device_work *work, const struct device_times *times);
void device_told_all(void);

/* Memory that a context holds; recorded as what is told, as metrics that tell how much it is. */
struct device_memory {
    uint64_t address; /* differs from that of all other blocks that the process holds */
    uint64_t bytes;   /* 0: it does not count */
    uint64_t time;    /* of the device; or as device_host_ns() tells it, */
    bool is_of_host;  /* which all of a context are, or none */
    enum device_memory_kind kind;
    bool is_release; /* then the address and the time count */
};
void device_memory_told(struct device_context *context, const struct device_memory *what);
/* The same, recorded at once, by who tells in order. The end of what is not held does nothing. */
void device_memory_taken(struct device_context *context, const struct device_memory *what);
void device_memory_given_back(const struct device_memory *what);
/* So much had not finished at the end, or was lost by the runtime. Anywhere. */
void device_count_unfinished(uint64_t n);
void device_count_lost(uint64_t n);

/* ---- what was given ---- */

/* Record what is done, of a stream, or of all. Without a lock of the caller's. */
void device_collect(struct device_stream *stream);
void device_collect_all(void);
/* The same of all, and waits for threads that are at it: what was done before is let go of. */
void device_settle_all(void);
/* So often is more given to a stream before somebody looks what is done. */
bool device_is_long(const struct device_stream *stream);
/* Is it pending? Anywhere. */
bool device_holds(const void *handle);
/* At the end of the process: the last look, which tells of what had not finished. */
void device_end(void);

#endif
