/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CUDA without CUPTI. spur stands in front of the driver's functions, and in front of
 * cuGetProcAddress(), by which the runtime finds the driver's functions. A call is a region. Work
 * that a call gives to a stream is timed by two events of spur's, before and behind the work.
 */
#ifndef WRAPPERS_CUDA_DRIVER_H
#define WRAPPERS_CUDA_DRIVER_H

#include "wrappers/cuda/cuda.h"
#include "wrappers/cuda/driver_numbers.h"

/* The recorded parts; unless OFF, CUPTI reports nothing. */
enum cuda_driver_mode { CUDA_DRIVER_OFF, CUDA_DRIVER_CALLS, CUDA_DRIVER_PAIRS };
extern _Atomic int cuda_driver_mode;
/* Record so much from now on, in this process and not in its children. */
void cuda_driver_start(enum cuda_driver_mode mode);
/* Is this the process of cuda_driver_start()? */
bool cuda_is_here(void);
/* The driver's own functions, by their symbols. NULL: no such symbol. */
void *cuda_driver_symbol(const char *name);

/* ---- the functions that spur calls ---- */

struct cuda_driver {
#define CUDA_TYPE_(Row, type, name) type name
#define NEEDED(name, ...) int (*name)(OTF2_LIST(CUDA_TYPE_, name, "", __VA_ARGS__));
#include "wrappers/cuda/driver_used.def"
};
extern struct cuda_driver cuda_driver;

/* ---- pairs of events ---- */

/* Starts pairs of events; false: the driver lacks a function. Then only calls are recorded. */
bool cuda_pairs_start(void);

struct cuda_pair;
struct cuda_given {
    struct cuda_pair *pair; /* NULL: the work is not timed */
    struct device_stream *stream;
    void *handle; /* of the stream */
    struct device_launch launch;
};
/*
 * Around a call that gives work to `stream`; without `loc`, or while the stream is captured,
 * nothing happens. The end must be called only if there is a pair.
 */
void cuda_pair_begin(struct cuda_given *given, struct spur_loc *loc, void *stream,
                     bool is_per_thread);
void cuda_pair_end(struct cuda_given *given, const struct device_work *work);
void cuda_pair_failed(struct cuda_given *given);
/* Record the finished work in the context of the thread. The thread may be inside a recorded
 * call. */
void cuda_pairs_collect(bool is_inside);
/* Before and after a context ends; and after the end of a device's primary context. */
void cuda_pairs_context_ends(void *context, bool is_inside);
void cuda_pairs_context_gone(void *context);
void cuda_pairs_device_gone(int device);
/* No further work is given to the stream. */
void cuda_pairs_stream_gone(void *stream);

/* ---- work that is given ---- */

enum cuda_copy {
    CUDA_COPY_TO_DEVICE = 1, /* CUPTI's numbers */
    CUDA_COPY_TO_HOST = 2,
    CUDA_COPY_ON_DEVICE = 8,
    CUDA_COPY_ON_HOST = 9,
    CUDA_COPY_TO_PEER = 10
};

/* The function, or kernel of a library, has `name` as its linker's name. */
void cuda_driver_name(const void *function, const char *name);
/* NULL: unknown. */
const char *cuda_driver_name_of(const void *function);
/* `sizes`: blocks and threads of a block, three each, and bytes of shared memory. */
struct device_work cuda_driver_kernel(const void *function, const unsigned *sizes);
struct device_work cuda_driver_graph(void);
/* `host`: an address in host memory, 0 for a copy without host memory. */
struct device_work cuda_driver_copy(enum cuda_copy kind, uint64_t host, uint64_t bytes);
struct device_work cuda_driver_copy_any(uint64_t to, uint64_t from, uint64_t bytes);
/* By the driver's descriptions of copies. */
struct device_work cuda_driver_copy_2d(const void *how);
struct device_work cuda_driver_copy_3d(const void *how);
struct device_work cuda_driver_fill(uint64_t bytes);
/* The stream in the description of a launch. */
void *cuda_driver_stream_of(const void *how);

#endif
