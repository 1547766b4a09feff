/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A runtime of the tests' own (fake_cuda.h): libcudart.so.13. It finds the driver's functions as
 * CUDA 13's does: by cuGetProcAddress_v2(), which it looks for in all that is loaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

static CUcontext primary;

/* FOUND(function, name, version) */
#define FUNCTIONS(FOUND)                                                                           \
    FOUND(cuInit, "cuInit", 2000)                                                                  \
    FOUND(cuCtxCreate_v2, "cuCtxCreate", 3020)                                                     \
    FOUND(cuCtxDestroy_v2, "cuCtxDestroy", 4000)                                                   \
    FOUND(cuCtxSetCurrent, "cuCtxSetCurrent", 4000)                                                \
    FOUND(cuCtxSynchronize, "cuCtxSynchronize", 2000)                                              \
    FOUND(cuModuleGetFunction, "cuModuleGetFunction", 2000)                                        \
    FOUND(cuLaunchKernel, "cuLaunchKernel", 4000)                                                  \
    FOUND(cuMemcpyAsync, "cuMemcpyAsync", 4000)

static struct {
#define MEMBER(function, ...) __typeof__(&function) function;
    FUNCTIONS(MEMBER)
} driver;

static void find_functions(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    void *address = library ? dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2") : NULL;
    __typeof__(&cuGetProcAddress_v2) get;
    memcpy(&get, &address, sizeof get);
    if (!address)
        abort();
#define FIND(function, name, version)                                                              \
    if (get(name, &address, version, 0, NULL) != 0)                                                \
        abort();                                                                                   \
    memcpy(&driver.function, &address, sizeof address);
    FUNCTIONS(FIND)
}

/* The runtime starts the driver when it is first used. */
static void start(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!driver.cuInit)
        find_functions();
    if (!primary) {
        (void)driver.cuInit(0);
        (void)driver.cuCtxCreate_v2(&primary, 0, 0);
    }
    pthread_mutex_unlock(&lock);
    (void)driver.cuCtxSetCurrent(primary);
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
    void *function = NULL, *parameters[] = {&us};
    if (driver.cuModuleGetFunction(&function, NULL, name) != 0)
        return 1;
    return driver.cuLaunchKernel(function, grid, 1, 1, block, 1, 1, 0, stream, parameters, NULL);
}

int cudaMemcpy(int kind, size_t bytes)
{
    CALL(2);
    return driver.cuMemcpyAsync(kind, 1, bytes, 0);
}

int cudaDeviceSynchronize(void)
{
    CALL(3);
    return driver.cuCtxSynchronize();
}

int cudaDeviceReset(void)
{
    CALL(4);
    CUcontext gone = primary;
    primary = 0;
    return driver.cuCtxDestroy_v2(gone);
}

int cudaGetLastError(void)
{
    CALL(5);
    return 0;
}
