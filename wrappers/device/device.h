/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The common part of the families of devices. A context of a device has streams. Work given to a
 * stream is pending until a thread finds the work done; then the work is recorded. No thread waits
 * for a device, and there is no helper thread: a family collects finished work where the program
 * synchronises, and now and then where the program gives work. A runtime may also report finished
 * work by itself, in any order.
 *
 * All functions are called within a recorded call of the family, or with the guard up, unless a
 * comment says "anywhere". Any thread. Work pending in a parent does not concern its child of
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
    uint64_t queued; /* when the host gave the work, by the device's clock; 0: unknown */
    uint64_t begin, end;
};

enum device_state { DEVICE_PENDING, DEVICE_DONE, DEVICE_FAILED };

/* A runtime. Its functions are called without any lock; one thread at a time for a handle. */
struct device_runtime {
    enum spur_family family;
    OTF2_Paradigm paradigm;
    const char *stream; /* word for a stream: "Queue" */
    /* The state of the handle's work: with DONE the times of the work. A runtime has both functions
     * or none. */
    enum device_state (*look)(void *handle, struct device_times *times);
    /* The handle is not pending any more. */
    void (*drop)(void *handle);
};

struct device_context;
struct device_stream;

/* The context of both keys, made with `name` if new. NULL: no memory. */
struct device_context *device_context_of(const struct device_runtime *runtime, const void *key,
                                         const void *other_key, const char *name);
/* A stream that was given back, or a new stream. NULL: nothing can be recorded. */
struct device_stream *device_stream_take(struct device_context *context, bool is_in_order);
/* A new stream. */
struct device_stream *device_stream_new(struct device_context *context, bool is_in_order);
/* The stream with the runtime's number `number`, or a new stream; never given back. */
struct device_stream *device_stream_numbered(struct device_context *context, uint32_t number);
/* The stream of a queue of the runtime's, where no stream is reported: from 1 on. 0: copies in no
 * queue. */
struct device_stream *device_stream_of_queue(struct device_context *context, uint32_t number);
/* The stream for waiting: waiting is no work of the device. */
struct device_stream *device_stream_of_waits(struct device_context *context);
/* The stream for memory that moves on demand; no call has given the moves. */
struct device_stream *device_stream_of_migrations(struct device_context *context);
/* The program's name for the stream; counts if no work of the stream is recorded yet. */
void device_stream_name(struct device_stream *stream, const char *name);
/* No further work is given to the stream. Anywhere. */
void device_stream_give(struct device_stream *stream);
/* A number that changes when streams become invalid: in a child of fork(). */
uint32_t device_generation(void);

/* The region of an activity, by its name; undefined if a filter leaves the activity out. */
enum device_kind { DEVICE_KERNEL, DEVICE_COPY, DEVICE_OTHER, DEVICE_KINDS };
OTF2_RegionRef device_region(enum spur_family family, const char *name, enum device_kind kind);

/* Work for a device. */
enum device_way { DEVICE_NOWHERE, DEVICE_FILL, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEVICE_ON_DEVICE };
struct device_work {
    OTF2_RegionRef region; /* undefined: the work is not recorded */
    enum device_way way;
    uint64_t bytes;              /* unless NOWHERE */
    uint64_t items, group_items; /* of a kernel; 0: not said */
    uint64_t registers, shared;  /* of each item, and bytes of each group; 0: not said */
    uint64_t graph, node;        /* numbers of the runtime's; 0: of no graph */
};

/* The call that gives work to a device, while the call lasts. */
struct device_launch {
    uint64_t id;
    uint64_t begin, end; /* times of the trace */
};
/* Before the real call: records the number of the given work in the call's region. */
struct device_launch device_launch_begin(struct spur_loc *loc);
/* After the call: the device has got `work`; `handle`, from now on the runtime's, reports the
 * work's end. */
void device_launch_end(struct device_launch *launch, struct device_stream *stream, void *handle,
                       const struct device_work *work);

/* ---- a runtime that reports by itself ---- */

/* The host's clock for device_clock_told(), in ns. Anywhere. */
uint64_t device_host_ns(void);
/* The device's clock showed `device` when the host's clock was between `least` and `most`. */
void device_clock_told(struct device_context *context, uint64_t device, uint64_t least,
                       uint64_t most);
/* The work is done; recorded with device_told_all() at the latest. Launch 0: no call has given the
 * work. */
void device_told(struct device_stream *stream, const struct device_launch *launch,
                 const struct device_work *work, const struct device_times *times);
void device_told_all(void);

/* Memory of a context; recorded as reported work, by metrics of the sum. */
struct device_memory {
    uint64_t address; /* differs between all blocks held by the process */
    uint64_t bytes;   /* 0: does not count */
    uint64_t time;    /* of the device; or of device_host_ns(), */
    bool is_of_host;  /* for all memory of a context, or for none */
    enum device_memory_kind kind;
    bool is_release; /* then the address and the time count */
};
void device_memory_told(struct device_context *context, const struct device_memory *what);
/* The same, recorded at once, for callers that report in order. The end of an unknown block does
 * nothing. */
void device_memory_taken(struct device_context *context, const struct device_memory *what);
void device_memory_given_back(const struct device_memory *what);
/* Number of works unfinished at the end, or lost by the runtime. Anywhere. */
void device_count_unfinished(uint64_t n);
void device_count_lost(uint64_t n);

/* ---- given work ---- */

/* Record the finished work of a stream, or of all streams. Without a lock of the caller's. */
void device_collect(struct device_stream *stream);
void device_collect_all(void);
/* The same for all streams, and waits for threads that are collecting: handles of finished work are
 * let go. */
void device_settle_all(void);
/* Has the stream so much pending work that the caller should look for finished work? */
bool device_is_long(const struct device_stream *stream);
/* Is the handle pending? Anywhere. */
bool device_holds(const void *handle);
/* At the end of the process: the last look, with a count of unfinished work. */
void device_end(void);

#endif
