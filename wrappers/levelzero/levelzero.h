/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Level Zero, by the tables of its loader. The loader calls the program's functions through tables,
 * filled by exported functions. The preloaded agent has functions of the same names in front: the
 * agent's functions call the loader's, and put wrappers into the tables. So no call of the program
 * misses the wrappers, whichever way the program has found the loader.
 *
 * Events with timestamps report the work of devices. A command with an event of the program is
 * timed by the program's event; a command without gets an event of spur's. spur reads an event when
 * the program waits, and before the event is reset, destroyed or used again.
 */
#ifndef WRAPPERS_LEVELZERO_H
#define WRAPPERS_LEVELZERO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/device/device.h"
#include "wrappers/kit/wrapper.h"
#include "wrappers/levelzero/levelzero_api.h"

/* ---- functions ---- */

enum levelzero_table {
#define TABLE(Name) LEVELZERO_TABLE_##Name,
#include "wrappers/levelzero/levelzero_tables.def"
#undef TABLE
    LEVELZERO_TABLES
};

enum levelzero_call {
#define PLAIN(Table, Field, ...) LEVELZERO_##Table##_##Field,
#define MEANT(Table, Field, ...) LEVELZERO_##Table##_##Field,
#define GIVES(Table, Field, ...) LEVELZERO_##Table##_##Field,
#define ASKED(Table, Field, ...) LEVELZERO_##Table##_##Field,
#include "wrappers/levelzero/levelzero_calls.def"
    LEVELZERO_CALLS
};

/* The loader's functions. Set before the program can call any; NULL: not in this loader. */
extern wrapper_any levelzero_next[LEVELZERO_CALLS];
/* The wrappers for the tables; NULL: the loader's function stays. */
extern const wrapper_any levelzero_wrappers[LEVELZERO_CALLS];

/* next_Table_Field(...): the loader's function. */
#define LEVELZERO_NEXT(Table, Field, ...)                                                          \
    static inline uint32_t next_##Table##_##Field(WRAPPER_PARAMS(Field, __VA_ARGS__))              \
    {                                                                                              \
        uint32_t (*next)(WRAPPER_PARAMS(Field, __VA_ARGS__)) = (uint32_t(*)(                       \
            WRAPPER_PARAMS(Field, __VA_ARGS__)))levelzero_next[LEVELZERO_##Table##_##Field];       \
        return next(WRAPPER_ARGS(Field, __VA_ARGS__));                                             \
    }
#define PLAIN(Table, Field, place, since, group, ...) LEVELZERO_NEXT(Table, Field, __VA_ARGS__)
#define MEANT(Table, Field, place, since, group, ...) LEVELZERO_NEXT(Table, Field, __VA_ARGS__)
#define GIVES(Table, Field, place, since, group, work, ...)                                        \
    LEVELZERO_NEXT(Table, Field, __VA_ARGS__)
#define ASKED(Table, Field, place, since, ...) LEVELZERO_NEXT(Table, Field, __VA_ARGS__)
#include "wrappers/levelzero/levelzero_calls.def"

/* Has the loader all functions that spur needs to record devices? */
bool levelzero_is_whole(void);

enum levelzero_group {
#define GROUP(name, ...) LEVELZERO_GROUP_##name,
#include "wrappers/levelzero/levelzero_groups.def"
#undef GROUP
    LEVELZERO_GROUPS
};
extern bool levelzero_group_is_off[LEVELZERO_GROUPS];
/* Switch the groups as SPUR_LEVELZERO says. False: no group is on. */
bool levelzero_groups_select(const char *list);

extern const struct device_runtime levelzero_runtime;

/* ---- objects of the program, by their handles ---- */

enum levelzero_kind {
    LEVELZERO_CONTEXT,
    LEVELZERO_DEVICE,
    LEVELZERO_QUEUE,
    LEVELZERO_LIST,
    LEVELZERO_EVENT,
    LEVELZERO_POOL,
    LEVELZERO_FENCE,
    LEVELZERO_IMAGE,
    LEVELZERO_KERNEL,
    LEVELZERO_KINDS
};

struct levelzero_object {
    struct levelzero_object *next; /* in the chain; never changes, like kind and handle */
    enum levelzero_kind kind;
    void *handle;
    _Atomic uint64_t made_in; /* 1 + generation of the process that made the object */
};

/* spur's events in a context of the program. */
struct levelzero_pool_own;
struct levelzero_context {
    struct levelzero_object object;
    struct levelzero_event *free;     /* all four lists are guarded by levelzero_lock() */
    struct levelzero_event *leaving;  /* events that will be signalled, and then are free */
    struct levelzero_event *events;   /* all */
    struct levelzero_pool_own *pools; /* the newest first */
};

struct levelzero_device {
    struct levelzero_object object;
    uint32_t number; /* as the driver counts, from 1 on; 0: not known */
    uint32_t part;   /* likewise, of a part of that device */
    struct device_context *_Atomic context;
    /* The clock, guarded by levelzero_lock(). */
    bool has_clock;
    uint64_t numerator, denominator; /* ns for so many cycles */
    uint64_t mask, kernel_mask;      /* bits of the clock, and of the times of events */
    uint64_t cycles;                 /* without an end, at `read` */
    uint64_t read;                   /* host ns */
};

/* The place where a device works: a queue, or an immediate list of commands. */
struct levelzero_queue {
    struct levelzero_object object;
    struct levelzero_context *context;
    struct levelzero_device *device;
    bool is_in_order;
    _Atomic uint64_t submitted, finished; /* lists of commands, in the order of their submission */
    /* 2 * generation of the process of `stream`; one more while a thread makes the stream */
    _Atomic uint64_t ready;
    struct device_stream *_Atomic stream;
};

/* A command in a list that is not immediate. */
struct levelzero_command {
    struct levelzero_command *next;
    struct device_work work;
    struct levelzero_event *event; /* NULL: no event reports the command */
};

struct levelzero_list {
    struct levelzero_queue queue; /* its object is the list's */
    bool is_immediate;
    struct levelzero_command *first, **last;
};

struct levelzero_event {
    struct levelzero_object object; /* of an event of spur's: not in the table */
    bool has_times;                 /* the event can be asked for times */
    struct levelzero_context *own;  /* NULL: the program's event */
    struct levelzero_event *next_free, *next_event;
    /* The use of the event, guarded by levelzero_lock(); NULL: no pending work. */
    struct levelzero_use *use;
    bool is_given; /* spur's: signalled, or to be signalled */
};

struct levelzero_pool {
    struct levelzero_object object;
    bool has_times;
};

struct levelzero_fence {
    struct levelzero_object object;
    struct levelzero_queue *queue;
    _Atomic uint64_t submitted;
};

struct levelzero_image {
    struct levelzero_object object;
    uint64_t pixel, pixels; /* bytes of a pixel; number of pixels */
};

struct levelzero_kernel {
    struct levelzero_object object;
    uint64_t group; /* items of a group; 0: not said */
};

/* NULL: not known, or a parent's. Any thread, without a lock. */
void *levelzero_find(enum levelzero_kind kind, const void *handle);
/* The program has just got the handle. All but the object itself is 0. NULL: no memory. */
void *levelzero_made(enum levelzero_kind kind, void *handle);
/* The same for a handle that may be known already; a known object is left unchanged. */
void *levelzero_known(enum levelzero_kind kind, void *handle);
/* The handle is about to be given back. */
void levelzero_gone(enum levelzero_kind kind, const void *handle);

/* ---- devices and their clocks ---- */

/* The device's context for records, made if new. */
struct device_context *levelzero_device_context(struct levelzero_device *device);
/* Times of an event in ns; levelzero_lock() is held. False: the device does not tell its time. */
bool levelzero_device_times(struct levelzero_device *device, const struct levelzero_times *cycles,
                            struct device_times *times);
/* The stream of the queue, for records within a recorded call; NULL: no records. */
struct device_stream *levelzero_stream(struct levelzero_queue *queue);
void levelzero_stream_end(struct levelzero_queue *queue);

/* ---- events ---- */

/* Guards events and their uses. A child of fork() begins anew. */
void levelzero_lock(void);
void levelzero_unlock(void);

/* A work that an event will report. */
struct levelzero_use {
    struct levelzero_use *next;
    struct levelzero_event *event; /* NULL: the event has reported */
    struct levelzero_queue *queue;
    struct levelzero_device *device;
    uint64_t due; /* the event reports nothing before so many lists of the queue have finished */
    enum device_state state;
    struct device_times times;
    bool is_once;                   /* the event is spur's, and for this work only */
    const struct device_work *work; /* while a call hands over the list with the work */
};

/* An event of spur's in the context, NULL: none left. And: the event is not needed any more. */
struct levelzero_event *levelzero_event_own(struct levelzero_context *context);
void levelzero_event_give_back(struct levelzero_event *event);
/*
 * The event will report a work given to the queue; an earlier use of the event is over. NULL: no
 * memory. And: the work was not given.
 */
struct levelzero_use *levelzero_use_begin(struct levelzero_event *event,
                                          struct levelzero_queue *queue, bool is_once);
/* The same for an event that may be signalled already: by an earlier run of the list. */
struct levelzero_use *levelzero_use_again(struct levelzero_event *event,
                                          struct levelzero_queue *queue);
void levelzero_use_cancel(struct levelzero_use *use);
/* The event is used for a work without records. */
void levelzero_event_given(struct levelzero_event *event);
/*
 * Before the event is reset, destroyed, or used for another work: the times of the event are read
 * now, or lost. `is_idle`: all given work has finished.
 */
void levelzero_event_settle(struct levelzero_event *event, bool is_idle);
/* The events of spur's in the context end. */
void levelzero_events_end(struct levelzero_context *context);

/* ---- given work ---- */

/* A command, while it is appended to a list. */
struct levelzero_given {
    struct levelzero_list *list;   /* NULL: the command is not recorded */
    struct levelzero_event *event; /* NULL: no event reports the command */
    struct levelzero_use *use;     /* of an immediate list */
    struct device_stream *stream;
    struct device_launch launch;
};
/* The event for the real function, where the program gives `event`. `loc` NULL: the call is not
 * recorded. */
void *levelzero_give_begin(struct levelzero_given *given, struct spur_loc *loc, bool is_wanted,
                           void *list, void *event);
void levelzero_give_failed(struct levelzero_given *given);
/* The command was appended. */
void levelzero_give_end(struct levelzero_given *given, const struct device_work *work);

/* Descriptions of works: within a recorded call. */
struct device_work levelzero_kernel(void *kernel, const struct levelzero_groups *groups);
struct device_work levelzero_kernels(void);
struct device_work levelzero_fill(uint64_t bytes);
struct device_work levelzero_copy(void *list, void *to, void *from, uint64_t bytes);
struct device_work levelzero_copy_from(void *list, void *to, void *context, void *from,
                                       uint64_t bytes);
struct device_work levelzero_image_copy(void *image, const struct levelzero_region *region);
struct device_work levelzero_image_read(void *list, void *to, void *image,
                                        const struct levelzero_region *region);
struct device_work levelzero_image_write(void *list, void *image, void *from,
                                         const struct levelzero_region *region);
uint64_t levelzero_volume(const struct levelzero_region *region);

/* ---- calls with a meaning: `loc` is NULL if the call is not recorded ---- */

#define LEVELZERO_MORE(Row, type, name) , type name
#define MEANT(Table, Field, place, since, group, ...)                                              \
    uint32_t levelzero_##Table##_##Field(                                                          \
        struct spur_loc *loc OTF2_SEQ(LEVELZERO_MORE, Field, "", __VA_ARGS__));
#include "wrappers/levelzero/levelzero_calls.def"

#endif
