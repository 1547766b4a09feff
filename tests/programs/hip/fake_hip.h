/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A HIP of the tests' own: a runtime, a rocprofiler-register and a rocprofiler-sdk that play their
 * parts without a device. The functions have the names of HIP's and fewer arguments; functions of
 * the two libraries are as in wrappers/hip, and records as in rocprofiler_fields.def. A device is a
 * clock: a piece of work begins when its stream is free, and lasts as long as its caller says.
 *
 * The variable FAKE_ROCPROFILER is a list of words for the behaviour of rocprofiler-sdk:
 *   reverse   hands over the records of a buffer in reverse order
 *   late      holds back every fifth record until the end
 *   drop      loses every seventh record
 *   old       is of version 0.6: tells no streams, and calls have no ancestor
 *   unknown   is of version 0.7
 *   locked    has another tool
 *   broken    makes no contexts
 *   nameless  does not tell of loaded kernels
 *   alarm     raises SIGALRM while handing over records
 */
#ifndef FAKE_HIP_H
#define FAKE_HIP_H

#include <stddef.h>
#include <stdint.h>

typedef struct fake_stream *hipStream_t;

int hipInit(unsigned flags);
int hipSetDevice(int device);
int hipStreamCreate(hipStream_t *stream);
int hipStreamSynchronize(hipStream_t stream);
int hipDeviceSynchronize(void);
/* The last argument is a name; `us` is the duration in microseconds. */
int hipLaunchKernel(unsigned grid, unsigned block, unsigned shared, hipStream_t stream, unsigned us,
                    const char *name);
/* Later work of the stream begins `us` later, as if the stream waited. No call of HIP. */
void fake_pause(hipStream_t stream, unsigned us);
/* So many kernels. */
int hipGraphLaunch(unsigned kernels, hipStream_t stream, const char *name);
/* By the kind in rocprofiler-sdk. */
int hipMemcpyAsync(int kind, size_t bytes, hipStream_t stream);
int hipMemcpy(int kind, size_t bytes);
int hipMemcpyPeerAsync(size_t bytes, int to, hipStream_t stream);
/* A kernel of the runtime's. */
int hipMemsetAsync(size_t bytes, hipStream_t stream);
int hipGetLastError(void);
int hipStreamQuery(hipStream_t stream); /* 600: the stream is busy */
/* Memory of the set device; an address is given again after its release. */
int hipMalloc(void **address, size_t bytes);
int hipFree(void *address);
/* Memory of the host, of no device. */
int hipHostMalloc(void **address, size_t bytes);
/* rocTX */
void roctxMarkA(const char *text);
int roctxRangePushA(const char *text);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *text);
void roctxRangeStop(uint64_t id);
/* A kernel that the runtime starts in a thread of its own, outside of any call. */
void fake_kernel_of_nobody(const char *name);

/* The calls: FAKE_CALL(number, name) */
#define FAKE_CALLS(FAKE_CALL)                                                                      \
    FAKE_CALL(0, hipInit)                                                                          \
    FAKE_CALL(1, hipSetDevice)                                                                     \
    FAKE_CALL(2, hipStreamCreate)                                                                  \
    FAKE_CALL(3, hipStreamSynchronize)                                                             \
    FAKE_CALL(4, hipDeviceSynchronize)                                                             \
    FAKE_CALL(5, hipLaunchKernel)                                                                  \
    FAKE_CALL(6, hipGraphLaunch)                                                                   \
    FAKE_CALL(7, hipMemcpyAsync)                                                                   \
    FAKE_CALL(8, hipMemcpy)                                                                        \
    FAKE_CALL(9, hipMemcpyPeerAsync)                                                               \
    FAKE_CALL(10, hipMemsetAsync)                                                                  \
    FAKE_CALL(11, hipGetLastError)                                                                 \
    FAKE_CALL(12, hipMalloc)                                                                       \
    FAKE_CALL(13, hipFree)                                                                         \
    FAKE_CALL(14, hipHostMalloc)                                                                   \
    FAKE_CALL(15, hipStreamQuery)
/* The calls of rocTX, likewise. */
#define FAKE_MARKS(FAKE_CALL)                                                                      \
    FAKE_CALL(0, roctxMarkA)                                                                       \
    FAKE_CALL(1, roctxRangePushA)                                                                  \
    FAKE_CALL(2, roctxRangePop)                                                                    \
    FAKE_CALL(3, roctxRangeStartA)                                                                 \
    FAKE_CALL(4, roctxRangeStop)                                                                   \
    FAKE_CALL(5, roctxGetThreadId)

/* ---- between the runtime and rocprofiler-sdk: the table that is handed over ---- */

enum { FAKE_DEVICES = 2 };
/* Handles of rocprofiler-sdk's for agents: a processor, and the devices. */
enum { FAKE_CPU = 7000, FAKE_GPU = 7001 };

/* A piece of work of a device, in ns of CLOCK_MONOTONIC. */
struct fake_work {
    int copy; /* kind of copy; 0: a kernel */
    uint64_t correlation, from, to, queue, bytes, begin, end, kernel;
    unsigned grid, block, shared;
};

struct fake_table {
    /*
     * NULL: nobody wants to know. `stream` UINT64_MAX: the call names no stream. `result` NULL: the
     * call begins.
     */
    void (*call)(uint32_t number, uint64_t *correlation, uint64_t stream, const int *result);
    void (*kernel)(uint64_t kernel, const char *name);
    void (*work)(const struct fake_work *work);
    /* `agent` 0: memory is given back. */
    void (*memory)(uint64_t agent, uint64_t address, size_t bytes);
    void (*mark)(uint32_t number, const char *text, uint64_t id, int is_exit);
};

#endif
