/* SPDX-License-Identifier: BSD-3-Clause */
/* A runtime of the tests' own (fake_cuda.h): libcudart.so.13. */
#include <pthread.h>

#include "fake_cuda.h"

static CUcontext primary;

/* The runtime starts the driver when it is first used. */
static void start(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!primary) {
        (void)cuInit(0);
        (void)cuCtxCreate_v2(&primary, 0, 0);
    }
    pthread_mutex_unlock(&lock);
    (void)cuCtxSetCurrent(primary);
}

struct call {
    uint32_t number, correlation;
};

static struct call begin(uint32_t number)
{
    struct call call = {number, 0};
    fake_runtime_enter(number, &call.correlation);
    start();
    return call;
}

static void end(struct call *call)
{
    fake_runtime_exit(call->number, call->correlation);
}

#define CALL(number) struct call call __attribute__((cleanup(end))) = begin(number)

int cudaLaunchKernel(unsigned grid, unsigned block, CUstream stream, unsigned us, const char *name)
{
    CALL(1);
    return cuLaunchKernel(grid, block, 0, stream, us, name);
}

int cudaMemcpy(int kind, size_t bytes)
{
    CALL(2);
    return cuMemcpyAsync(kind, 1, bytes, 0);
}

int cudaDeviceSynchronize(void)
{
    CALL(3);
    return cuCtxSynchronize();
}

int cudaDeviceReset(void)
{
    CALL(4);
    CUcontext gone = primary;
    primary = 0;
    return cuCtxDestroy_v2(gone);
}

int cudaGetLastError(void)
{
    CALL(5);
    return 0;
}
