/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that are given to a device, for bench/gates: the second call of rounds() counts. The
 * driver is empty_opencl.c.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdlib.h>

enum { ROW = 64 };

static cl_command_queue queue;
static cl_kernel kernel;

__attribute__((noinline)) static void rounds(int n)
{
    const size_t one = 1;
    for (int i = 1; i <= n; i++) {
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        if (i % ROW == 0)
            clFinish(queue);
    }
}

__attribute__((noinline)) static void counted(int n)
{
    rounds(n);
    __asm__ volatile("" ::: "memory"); /* no tail call: what is toggled has to return */
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 0, NULL, NULL, NULL);
    kernel = clCreateKernel(program, "nothing", NULL);
    rounds(n);
    counted(n);
    return 0;
}
