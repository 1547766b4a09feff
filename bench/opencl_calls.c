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

enum { ROW = 64 };

static cl_command_queue queue, profiled;
static cl_kernel kernel;
static cl_mem buffer;
static const size_t one = 1;

static void give_kernels_to(cl_command_queue to)
{
    for (int i = 0; i < ROW; i++)
        clEnqueueNDRangeKernel(to, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clFinish(to);
}

static void give_kernels(void)
{
    give_kernels_to(queue);
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
        clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof number[i], &number[i], 0, NULL,
                             NULL);
    clFinish(queue);
}

static void retain(void)
{
    for (int i = 0; i < ROW; i++) {
        clRetainKernel(kernel);
        clReleaseKernel(kernel);
    }
}

static int start(void)
{
    const char *source = "kernel void nothing(void) {}";
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    profiled = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    kernel = clCreateKernel(program, "nothing", NULL);
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof(int), NULL, NULL);
    return !kernel || !buffer || !queue || !profiled;
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
