/* SPDX-License-Identifier: BSD-3-Clause */
/* State shared by device_stream.c and device_collect.c. */
#ifndef WRAPPERS_DEVICE_STATE_H
#define WRAPPERS_DEVICE_STATE_H

#include "wrappers/device/device.h"
#include "wrappers/device/device_clock.h"
#include "wrappers/device/device_names.h"

/* Work that overlaps with other work of its stream goes to another location: a lane. */
enum { DEVICE_LANES = 32, DEVICE_BATCH = 32, DEVICE_NAME = 256 };

/* In place of a stream's number: the stream is for waiting. */
#define DEVICE_WAITS UINT32_MAX
#define DEVICE_MIGRATIONS (UINT32_MAX - 1)
#define DEVICE_QUEUE (UINT32_C(1) << 30) /* of a queue; 0: of copies */

struct device_pending {
    struct device_pending *next;
    void *handle;
    struct device_work work;
    struct device_launch launch;
    struct device_times times; /* of work that the runtime has reported */
};

/* Finished work. */
struct device_done {
    struct device_work work;
    struct device_launch launch;
    struct device_times times;
};

struct device_context {
    struct device_context *next;
    const struct device_runtime *runtime;
    const void *key, *other_key;
    char name[DEVICE_NAME];
    bool is_told; /* `number` is valid, in the agent; both are guarded by device_all.lock */
    uint32_t number;
    uint32_t streams; /* likewise */
    struct wrapper_lock clock_lock;
    struct device_clock clock; /* guarded by clock_lock */
    /* Memory of the context, guarded by the lock of device_memory.c. */
    uint64_t held[DEVICE_MEMORY_KINDS];
    uint64_t memory_last;    /* time of the last value */
    struct spur_loc *memory; /* NULL: nothing can be recorded */
    bool has_memory;         /* an opening of `memory` was tried */
};

struct device_lane {
    struct spur_loc *loc;
    uint32_t rank;
    uint64_t last; /* end of the last work */
};

struct device_stream {
    struct device_stream *next; /* of all streams, in device_all */
    struct device_context *context;
    uint32_t number; /* in the context, from 1 on; or the runtime's */
    bool is_in_order;
    _Atomic bool is_taken, is_named;
    struct wrapper_lock lock; /* guards the list; no function is called under the lock */
    struct device_pending *first, **last;
    _Atomic uint32_t n;
    struct wrapper_lock collecting; /* the holder may call the runtime; guards all that follows */
    struct device_pending *told;    /* by the runtime, the latest begin first */
    uint32_t n_told;
    char given[DEVICE_GIVEN_BYTES]; /* the program's name for the stream; empty: none */
    uint32_t n_lanes;
    struct device_lane lane[DEVICE_LANES];
    uint32_t n_done;
    struct device_done done[DEVICE_BATCH];
    struct spur_activity batch[DEVICE_BATCH]; /* the same work as records */
};

struct device_all {
    struct wrapper_lock lock;
    _Atomic uint64_t ready; /* 2 * generation of the process; one more while being made ready */
    struct device_context *contexts;
    struct device_stream *_Atomic streams;
    struct device_pending *free;
    OTF2_AttributeRef correlation, bytes, items, group_items, registers, shared, graph, node;
    OTF2_ParameterRef parameter;
    _Atomic uint64_t launches, unfinished, lost;
    struct wrapper_lock line_lock;
    struct device_line line; /* the second moment is the last reading */
    uint64_t middle_ticks, middle_ns;
};
extern struct device_all device_all;

/* Is the state that of this process, and not of its parent? */
bool device_is_ready(void);
/* The number of the context in the agent. A device without records has no place in the archive. */
uint32_t device_number(struct device_context *context);
/* Write all reports of memory. And: drop the parent's, in a child of fork(). */
void device_memory_told_all(void);
void device_memory_forget(void);
/* The line up to now. */
struct device_line device_line_now(void);
/* The lane with the number, made if the next in order. NULL: nothing can be recorded. */
struct device_lane *device_lane(struct device_stream *stream, uint32_t number);
/* NULL: no memory. */
struct device_pending *device_pending_new(void);
void device_pending_free(struct device_pending *pending);
/* Add a finished work. And: record all added works. `stream->collecting` is held. */
void device_add_done(struct device_stream *stream, const struct device_done *done);
void device_write_done(struct device_stream *stream);
/* NULL: no stream. */
struct device_stream *device_first_stream(void);

#endif
