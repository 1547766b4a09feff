/* SPDX-License-Identifier: BSD-3-Clause */
/* A device of OpenCL, a queue, and a kernel that does nothing. */
#ifndef BENCH_OPENCL_START_H
#define BENCH_OPENCL_START_H

#include <CL/cl.h>

struct opencl {
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_kernel kernel;
};

/* 0, or what is wrong. */
static inline int opencl_start(struct opencl *cl)
{
    const char *source = "kernel void nothing(void) {}";
    cl_platform_id platform;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl->device, NULL))
        return 1;
    cl->context = clCreateContext(NULL, 1, &cl->device, NULL, NULL, NULL);
    cl->queue = clCreateCommandQueue(cl->context, cl->device, 0, NULL);
    cl_program program = clCreateProgramWithSource(cl->context, 1, &source, NULL, NULL);
    if (clBuildProgram(program, 1, &cl->device, "", NULL, NULL))
        return 1;
    cl->kernel = clCreateKernel(program, "nothing", NULL);
    return !cl->queue || !cl->kernel;
}

#endif
