/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of the thread that calls OpenCL, in nanoseconds a call, one line a case: "NAME NS".
 * Compiled and run by bench/opencl_calls, bare and traced. Kernels and copies are given in rows
 * that clFinish ends; the kernel is empty, and the copy is of 4 bytes. The agent gives profiling to
 * every queue: what that costs in the library is in the bare case with a profiled queue, too. And
 * the library takes locks, which the agent wraps: a case is a lock alone.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/least.h"
#include "bench/opencl_start.h"

enum { ROW = 64 };

static struct opencl cl;
static cl_command_queue profiled;
static cl_mem buffer;
static const size_t one = 1;

static void give_kernels_to(cl_command_queue to)
{
    for (int i = 0; i < ROW; i++)
        clEnqueueNDRangeKernel(to, cl.kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clFinish(to);
}

static void give_kernels(void)
{
    give_kernels_to(cl.queue);
}

static void give_profiled(void)
{
    give_kernels_to(profiled);
}

static void lock(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < ROW; i++) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
    }
}

static void give_copies(void)
{
    static int number[ROW];
    for (int i = 0; i < ROW; i++)
        clEnqueueWriteBuffer(cl.queue, buffer, CL_FALSE, 0, sizeof number[i], &number[i], 0, NULL,
                             NULL);
    clFinish(cl.queue);
}

static void retain(void)
{
    for (int i = 0; i < ROW; i++) {
        clRetainKernel(cl.kernel);
        clReleaseKernel(cl.kernel);
    }
}

static int start(void)
{
    if (opencl_start(&cl))
        return 1;
    profiled = clCreateCommandQueue(cl.context, cl.device, CL_QUEUE_PROFILING_ENABLE, NULL);
    buffer = clCreateBuffer(cl.context, CL_MEM_READ_WRITE, sizeof(int), NULL, NULL);
    return !buffer || !profiled;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*row)(void);
        int calls;
    } cases[] = {{"enqueue,kernel", give_kernels, ROW},
                 {"enqueue,copy", give_copies, ROW},
                 {"profiled,kernel", give_profiled, ROW},
                 {"retain,release", retain, 2 * ROW},
                 {"lock,unlock", lock, 2 * ROW}};
    int rows = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 200;
    if (start()) {
        fprintf(stderr, "there is no device of OpenCL\n");
        return 1;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s %.1f\n", cases[i].name,
               least_ns(CLOCK_THREAD_CPUTIME_ID, cases[i].row, rows) / cases[i].calls);
    return 0;
}
