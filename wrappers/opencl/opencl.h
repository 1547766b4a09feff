/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenCL, as a layer of its loader: each call of the program comes to the layer, and the layer
 * hands the call on to the next layer. So no call misses the layer, whichever way the program has
 * found libOpenCL. Older loaders take no layers: then functions of the agent stand in front of the
 * loader's.
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

/* The functions of the next layer; NULL where missing. Set before the first call. */
extern wrapper_any opencl_next[OPENCL_CALLS];
/* The functions of spur's layer. */
extern const wrapper_any opencl_wrappers[OPENCL_CALLS];

/* The way of calls to the layer. BY_LAYER and BY_STANDS are for good. */
enum opencl_way {
    OPENCL_NOT, /* OpenCL is not recorded */
    OPENCL_UNDECIDED,
    OPENCL_DECIDING, /* a thread fills `opencl_next`, for BY_STANDS */
    OPENCL_BY_LAYER,
    OPENCL_BY_STANDS
};
enum opencl_way opencl_way(void);
/* False: the way was not `from`. */
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

/* Number of remembered words of a list of properties. */
enum { OPENCL_LIST_WORDS = 16 };

/* How the program has made a queue. */
struct opencl_made {
    void *context, *device;
    uint64_t properties;
    bool has_list;
    uint32_t words; /* of the list, with its end */
    uint64_t list[OPENCL_LIST_WORDS];
    bool is_bare; /* without profiling */
};
void opencl_queue_made(void *queue, const struct opencl_made *made);
/* NULL: not known. Any thread, without a lock; like all functions below. */
struct opencl_queue *opencl_queue_find(const void *queue);
const struct opencl_made *opencl_queue_how(const struct opencl_queue *queue);
/* The stream of the queue, for records within a recorded call; NULL: no records. */
struct device_stream *opencl_queue_stream(struct opencl_queue *queue);
/* The program switches properties of the queue on or off. */
void opencl_queue_switched(struct opencl_queue *queue, uint64_t properties, bool is_on);
/* The program has one reference more, or one less. */
void opencl_queue_retained(struct opencl_queue *queue);
void opencl_queue_released(struct opencl_queue *queue);

/* ---- work given to devices ---- */

/* A work with a region of this name. */
struct device_work opencl_work(const char *name, enum device_way way, uint64_t bytes);
/* `global` and `local` are lists of `dimensions` size_t, or NULL. */
struct device_work opencl_kernel(void *kernel, uint32_t dimensions, const void *global,
                                 const void *local);
/* Bytes of a region of an image (three size_t), and of a region in bytes. */
uint64_t opencl_image_bytes(void *image, const void *region);
uint64_t opencl_volume(const void *region);
/* Bytes of a list of `n` memory objects. */
uint64_t opencl_memory_bytes(const void *list, uint32_t n);
/* The direction of the bytes when memory is mapped, or migrates. */
enum device_way opencl_maps(uint64_t flags);
enum device_way opencl_migrates(uint64_t flags);

/* A call that gives work to a queue, while the call lasts. */
struct opencl_given {
    struct device_stream *stream; /* NULL: the call is not recorded */
    struct device_launch launch;
    void *own; /* the event, where the program wants no event */
};
/*
 * The event argument for the real function, where the program gives `event`. `loc` NULL: the call
 * is not recorded.
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
