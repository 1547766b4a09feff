/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of the thread that calls CUDA's driver, the tests' own, in nanoseconds a call, one line
 * a case: "NAME NS". Compiled and run by bench/driver_calls, bare and traced. Kernels last no time,
 * and are given in rows that a wait ends. An event is a call that the tests' CUPTI is not told of:
 * so only what stands in front of the driver adds to it.
 */
#include <fake_cuda.h> /* in the place of CUDA's own */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/least.h"

int cuEventRecord(void *event, CUstream stream);

enum { ROW = 64 };

static CUstream stream;
static void *event, *function;
static __typeof__(&cuEventRecord) record_found;
static __typeof__(&cuLaunchKernel) launch_found;

static void launch(__typeof__(&cuLaunchKernel) call)
{
    unsigned us = 0;
    void *parameters[] = {&us};
    for (int i = 0; i < ROW; i++)
        call(function, 1, 1, 1, 1, 1, 1, 0, stream, parameters, NULL);
    cuStreamSynchronize(stream);
}

static void launch_linked(void)
{
    launch(cuLaunchKernel);
}

static void launch_by_address(void)
{
    launch(launch_found);
}

static void record_linked(void)
{
    for (int i = 0; i < ROW; i++)
        cuEventRecord(event, stream);
}

static void record_by_address(void)
{
    for (int i = 0; i < ROW; i++)
        record_found(event, stream);
}

static int find(const char *name, void *place)
{
    void *address = NULL;
    int error = cuGetProcAddress_v2(name, &address, 12000, 0, NULL);
    memcpy(place, &address, sizeof address);
    return error;
}

static int start(void)
{
    CUcontext context;
    return cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuStreamCreate(&stream, 0) ||
           cuEventCreate(&event, 0) || cuModuleGetFunction(&function, NULL, "nothing") ||
           find("cuEventRecord", &record_found) || find("cuLaunchKernel", &launch_found);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*row)(void);
    } cases[] = {{"launch", launch_linked},
                 {"launch,looked-up", launch_by_address},
                 {"event", record_linked},
                 {"event,looked-up", record_by_address}};
    int rows = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 200;
    if (start()) {
        fprintf(stderr, "the driver of the tests does not start\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s %.1f\n", cases[i].name,
               least_ns(CLOCK_THREAD_CPUTIME_ID, cases[i].row, rows) / ROW);
    return 0;
}
