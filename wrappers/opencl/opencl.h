/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenCL, as a layer of its loader: each call of the program comes to the layer, which hands it on
 * to the next one. So no call misses it, whichever way the program has found libOpenCL. Older
 * loaders take no layers: functions of the agent stand in front of theirs.
 */
#ifndef WRAPPERS_OPENCL_H
#define WRAPPERS_OPENCL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wrappers/device/device.h"
#include "wrappers/kit/wrapper.h"

/* The functions by number. */
enum opencl_call {
#define OTHER(name) OPENCL_##name,
#include "wrappers/opencl/opencl_calls.def"
    OPENCL_CALLS
};

/* The functions of the next layer; NULL where it has none. Set before the first call. */
extern wrapper_any opencl_next[OPENCL_CALLS];
/* Those of this one. */
extern const wrapper_any opencl_wrappers[OPENCL_CALLS];

/* How calls come to the layer. BY_LAYER and BY_STANDS are for good. */
enum opencl_way {
    OPENCL_NOT, /* OpenCL is not recorded */
    OPENCL_UNDECIDED,
    OPENCL_DECIDING, /* a thread fills `opencl_next`, for BY_STANDS */
    OPENCL_BY_LAYER,
    OPENCL_BY_STANDS
};
enum opencl_way opencl_way(void);
/* False: it was not `from`. */
bool opencl_comes(enum opencl_way from, enum opencl_way to);

/* opencl_next_NAME(...): the next layer's function. */
#define OPENCL_NEXT(name, type, ...)                                                               \
    static inline type opencl_next_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                       \
    {                                                                                              \
        type (*next)(WRAPPER_PARAMS(name, __VA_ARGS__)) =                                          \
            (type(*)(WRAPPER_PARAMS(name, __VA_ARGS__)))opencl_next[OPENCL_##name];                \
        return next(WRAPPER_ARGS(name, __VA_ARGS__));                                              \
    }
#define PLAIN(name, group, type, ...) OPENCL_NEXT(name, type, __VA_ARGS__)
#define PLAIN_VOID(name, group, ...)                                                               \
    static inline void opencl_next_##name(WRAPPER_PARAMS(name, __VA_ARGS__))                       \
    {                                                                                              \
        void (*next)(WRAPPER_PARAMS(name, __VA_ARGS__)) =                                          \
            (void (*)(WRAPPER_PARAMS(name, __VA_ARGS__)))opencl_next[OPENCL_##name];               \
        next(WRAPPER_ARGS(name, __VA_ARGS__));                                                     \
    }
#define MEANT(name, group, type, ...) OPENCL_NEXT(name, type, __VA_ARGS__)
#define ENQUEUE(name, work, ...) OPENCL_NEXT(name, int32_t, __VA_ARGS__)
#define MAP(name, work, ...) OPENCL_NEXT(name, void *, __VA_ARGS__)
#include "wrappers/opencl/opencl_calls.def"

/* ---- queues ---- */

struct opencl_queue;
extern const struct device_runtime opencl_runtime;

/* Words of a list of properties that are remembered. */
enum { OPENCL_LIST_WORDS = 16 };

/* How the program has made a queue. */
struct opencl_made {
    void *context, *device;
    uint64_t properties;
    bool has_list;
    uint32_t words; /* of the list, its end included */
    uint64_t list[OPENCL_LIST_WORDS];
    bool is_bare; /* it has no profiling */
};
void opencl_queue_made(void *queue, const struct opencl_made *made);
/* NULL: it is not known. Any thread, without a lock; so are the others. */
struct opencl_queue *opencl_queue_find(const void *queue);
const struct opencl_made *opencl_queue_how(const struct opencl_queue *queue);
/* What is recorded of it, within a recorded call; NULL: nothing. */
struct device_stream *opencl_queue_stream(struct opencl_queue *queue);
/* The program switches properties of it on or off. */
void opencl_queue_switched(struct opencl_queue *queue, uint64_t properties, bool is_on);
/* The program has one reference more, or one less. */
void opencl_queue_retained(struct opencl_queue *queue);
void opencl_queue_released(struct opencl_queue *queue);

/* ---- what is given to devices ---- */

/* A region by that name. */
struct device_work opencl_work(const char *name, enum device_way way, uint64_t bytes);
/* `global` and `local` are lists of so many size_t, or NULL. */
struct device_work opencl_kernel(void *kernel, uint32_t dimensions, const void *global,
                                 const void *local);
/* Bytes of a region of an image, which is three size_t, and of a region in bytes. */
uint64_t opencl_image_bytes(void *image, const void *region);
uint64_t opencl_volume(const void *region);
/* Bytes of a list of so many memory objects. */
uint64_t opencl_memory_bytes(const void *list, uint32_t n);
/* Where the bytes go when memory is mapped, or migrates. */
enum device_way opencl_maps(uint64_t flags);
enum device_way opencl_migrates(uint64_t flags);

/* A call that gives work to a queue, while it lasts. */
struct opencl_given {
    struct device_stream *stream; /* NULL: it is not recorded */
    struct device_launch launch;
    void *own; /* the event, where the program wants none */
};
/*
 * What to give the real function for an event, where the program gives `event`. `loc` NULL: the
 * call is not recorded.
 */
void *opencl_give_begin(struct opencl_given *given, struct spur_loc *loc, const void *queue,
                        void *event);
/* The call has succeeded, with the event that opencl_give_begin() has returned. */
void opencl_give_end(struct opencl_given *given, void *const *event,
                     const struct device_work *work);

/* ---- calls with a meaning: `loc` is NULL if the call is not recorded ---- */

#define OPENCL_MORE(Row, type, name) , type name
#define MEANT(name, group, type, ...)                                                              \
    type opencl_##name(struct spur_loc *loc OTF2_SEQ(OPENCL_MORE, name, "", __VA_ARGS__));
#include "wrappers/opencl/opencl_calls.def"

#endif
