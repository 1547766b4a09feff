/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA of the tests' own: a driver, a runtime and a CUPTI that play their parts without a device.
 * The functions have the names and the arguments of CUDA's; the functions of CUPTI are as in
 * wrappers/cuda/cupti_functions.def, and records as in cupti_fields.def. A device is a clock: a
 * piece of work begins when its stream is free, and lasts as long as its caller says.
 *
 * The variable FAKE_CUPTI is a list of words for the behaviour of CUPTI:
 *   reverse   hands over the records of a buffer in reverse order
 *   late      holds back every fifth record until the last flush
 *   drop      loses every seventh record
 *   oldclock  knows no callback for times: uses the time of day
 *   taken     has another subscriber
 *   broken    does not start
 *   ahead     asks for the next buffer after handing over a buffer
 *   alarm     raises SIGALRM while the main thread has CUPTI hand over records
 *   stuck     does not come back from the flush that asks for all
 *   small     has buffers of four records, handed over by a thread of CUPTI's own
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>
#include <stdint.h>

/* ---- the driver ---- */

typedef struct fake_context *CUcontext;
typedef struct fake_stream *CUstream;

int cuInit(unsigned flags);
int cuCtxCreate_v2(CUcontext *context, unsigned flags, int device);
int cuCtxDestroy_v2(CUcontext context);
int cuCtxSetCurrent(CUcontext context);
int cuCtxSynchronize(void);
/* Where the last call of cuCtxSynchronize() returned to. */
const void *fake_waited_from(void);
int cuStreamCreate(CUstream *stream, unsigned flags);
int cuStreamGetCtx(CUstream stream, CUcontext *context); /* CUPTI is not told of this call */
int cuStreamSynchronize(CUstream stream);
int cuStreamWaitEvent(CUstream stream, void *event, unsigned flags);
/* The first of `parameters` is the duration of the kernel, in microseconds. */
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   CUstream stream, void **parameters, void **extra);
/* The same function for the same name, whatever the module. */
int cuModuleGetFunction(void **function, void *module, const char *name);

static inline int fake_launch(unsigned grid, unsigned block, unsigned shared, CUstream stream,
                              unsigned us, const char *name)
{
    void *function = NULL, *parameters[] = {&us};
    int error = cuModuleGetFunction(&function, NULL, name);
    return error ? error
                 : cuLaunchKernel(function, grid, 1, 1, block, 1, 1, shared, stream, parameters,
                                  NULL);
}

/* Later work of the stream begins `us` later, as if the stream waited. Not a call to CUPTI. */
void fake_pause(CUstream stream, unsigned us);

/* So many kernels, a copy to the device of 4096 bytes and a fill of 512: nodes 1, 2, ... of
 * graph 3. */
struct fake_graph {
    unsigned kernels;
    const char *name;
    unsigned events; /* captured events, at the place of the capture */
};
int cuGraphLaunch(struct fake_graph *graph, CUstream stream);
/* Calls the function at once, in the calling thread. */
int cuLaunchHostFunc(CUstream stream, void (*function)(void *data), void *data);
/* By CUPTI's kind of copy: the arguments differ from CUDA's. */
int cuMemcpyAsync(int kind, int is_pageable, size_t bytes, CUstream stream);
int cuMemcpyPeerAsync(uint64_t to, CUcontext to_context, uint64_t from, CUcontext from_context,
                      size_t bytes, CUstream stream);
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, CUstream stream);

/* ---- calls unknown to CUPTI (fake_events.c) ---- */

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, CUstream stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, CUstream stream);
int cuMemcpy(uint64_t to, uint64_t from, size_t bytes);
int cuStreamDestroy_v2(CUstream stream);
int cuStreamBeginCapture_v2(CUstream stream, int mode);
/* The graph is the program's to free. */
int cuStreamEndCapture(CUstream stream, struct fake_graph **graph);
int cuEventQuery(void *event);
int cuStreamQuery(CUstream stream); /* 600: the stream is busy */
int cuEventCreate(void **event, unsigned flags);
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                        int *status);

/* Kinds of memory, by CUPTI's numbers. */
enum { FAKE_PINNED = 2, FAKE_DEVICE, FAKE_ARRAY, FAKE_MANAGED };
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuArrayCreate_v2(uint64_t *address, size_t bytes);
int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags);
int cuMemHostAlloc(uint64_t *address, size_t bytes, unsigned flags);
/* From a pool. CUPTI tells of the pool as well, by another kind of record. */
int cuMemAllocAsync(uint64_t *address, size_t bytes, CUstream stream);
int cuMemFree_v2(uint64_t address);

/*
 * Somebody touches so much unified memory: the memory moves, or a page fault is told, by CUPTI's
 * kind, now and for so long. `process` is 0 for the calling process.
 */
void fake_touch(int kind, size_t bytes, unsigned from, unsigned to, unsigned us, int process);

/* ---- the runtime: calls the driver in the context of device 0 ---- */

int cudaLaunchKernel(unsigned grid, unsigned block, CUstream stream, unsigned us, const char *name);
int cudaMemcpy(int kind, size_t bytes);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);
int cudaGetLastError(void);

/* ---- between driver and CUPTI ---- */

/* A piece of work of a device, in ns of CLOCK_MONOTONIC. */
struct fake_work {
    int kind; /* of the record */
    uint32_t device, context, stream, correlation;
    uint64_t begin, end;
    const char *name;
    unsigned grid, block, shared;
    int copy, is_pageable; /* or the kind of waiting; is memory given back, and its kind */
    size_t bytes;
    uint32_t graph;
    uint64_t node; /* or an address */
};

struct fake_cupti {
    /* `result`: the result of the call; NULL: the call begins. */
    void (*enter)(int domain, uint32_t number, uint32_t correlation, const int *result);
    void (*work)(const struct fake_work *work);
    void (*resource)(uint32_t number); /* of CUPTI's callbacks */
};

/* The calls: FAKE_CALL(DOMAIN, number, name) */
#define FAKE_CALLS(FAKE_CALL)                                                                      \
    FAKE_CALL(1, 1, cuInit)                                                                        \
    FAKE_CALL(1, 2, cuCtxCreate_v2)                                                                \
    FAKE_CALL(1, 3, cuCtxDestroy_v2)                                                               \
    FAKE_CALL(1, 4, cuCtxSetCurrent)                                                               \
    FAKE_CALL(1, 5, cuCtxSynchronize)                                                              \
    FAKE_CALL(1, 6, cuStreamCreate)                                                                \
    FAKE_CALL(1, 7, cuStreamSynchronize_ptsz)                                                      \
    FAKE_CALL(1, 8, cuStreamWaitEvent)                                                             \
    FAKE_CALL(1, 9, cuLaunchKernel)                                                                \
    FAKE_CALL(1, 10, cuGraphLaunch)                                                                \
    FAKE_CALL(1, 11, cuMemcpyAsync)                                                                \
    FAKE_CALL(1, 12, cuMemcpyPeerAsync)                                                            \
    FAKE_CALL(1, 13, cuMemsetD8Async)                                                              \
    FAKE_CALL(1, 14, cuMemAlloc_v2)                                                                \
    FAKE_CALL(1, 15, cuArrayCreate_v2)                                                             \
    FAKE_CALL(1, 16, cuMemAllocManaged)                                                            \
    FAKE_CALL(1, 17, cuMemHostAlloc)                                                               \
    FAKE_CALL(1, 18, cuMemAllocAsync)                                                              \
    FAKE_CALL(1, 19, cuMemFree_v2)                                                                 \
    FAKE_CALL(1, 21, cuStreamQuery)                                                                \
    FAKE_CALL(1, 20, cuLaunchHostFunc)                                                             \
    FAKE_CALL(2, 1, cudaLaunchKernel_v7000)                                                        \
    FAKE_CALL(2, 2, cudaMemcpy_v3020)                                                              \
    FAKE_CALL(2, 3, cudaDeviceSynchronize_v3020)                                                   \
    FAKE_CALL(2, 4, cudaDeviceReset_v3020)                                                         \
    FAKE_CALL(2, 5, cudaGetLastError_v3020)

/* Of the driver, for the runtime: CUPTI tells of the runtime's calls as well. */
void fake_runtime_enter(uint32_t number, uint32_t *correlation);
void fake_runtime_exit(uint32_t number, uint32_t correlation);

#endif
