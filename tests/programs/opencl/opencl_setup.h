/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs of OpenCL begin with: the first device, a context, and a program built for it. */
#ifndef TESTS_OPENCL_SETUP_H
#define TESTS_OPENCL_SETUP_H

#include <CL/cl.h>
#include <stdio.h>
#include <unistd.h>

#ifndef CHECK
#define CHECK(call)                                                                                \
    do {                                                                                           \
        int result_ = (int)(call);                                                                 \
        if (result_ != CL_SUCCESS) {                                                               \
            fprintf(stderr, "line %d: %s: %d\n", __LINE__, #call, result_);                        \
            _exit(99);                                                                             \
        }                                                                                          \
    } while (0)
#endif

static cl_device_id device;
static cl_context context;
static cl_program program;

static void set_up(const char *source)
{
    cl_platform_id platform;
    cl_int code;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    program = clCreateProgramWithSource(context, 1, &source, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
}

static inline cl_command_queue queue_of(cl_command_queue_properties properties)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, device, properties, &code);
    CHECK(code);
    return queue;
}

static inline cl_mem buffer_of(size_t bytes)
{
    cl_int code;
    cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &code);
    CHECK(code);
    return memory;
}

/* With the memory as its first argument. */
static inline cl_kernel kernel_of(const char *name, cl_mem memory)
{
    cl_int code;
    cl_kernel kernel = clCreateKernel(program, name, &code);
    CHECK(code);
    CHECK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
    return kernel;
}

#endif
