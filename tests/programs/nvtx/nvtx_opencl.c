/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of OpenCL that get names by NVTX, and fills in them, of so many bytes: 100 in `ascii`, 200
 * in `wide`, 300 in one without a name that comes after them, 400 in `resource`.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#include "own_nvtx.h"

static cl_context context;
static cl_device_id device;
static cl_mem memory;

static cl_command_queue new_queue(void)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    if (code)
        exit(2);
    return queue;
}

static void use(cl_command_queue queue, size_t bytes)
{
    const cl_char zero = 0;
    if (clEnqueueFillBuffer(queue, memory, &zero, 1, 0, bytes, 0, NULL, NULL) || clFinish(queue) ||
        clReleaseCommandQueue(queue))
        exit(2);
}

int main(void)
{
    cl_platform_id platform;
    cl_int code;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 2;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    cl_command_queue queue = new_queue();
    nvtxNameClCommandQueueA(queue, "ascii");
    use(queue, 100);
    queue = new_queue();
    nvtxNameClCommandQueueW(queue, L"wide");
    use(queue, 200);
    use(new_queue(), 300);
    queue = new_queue();
    nvtxResourceAttributes_t what = {.version = 3,
                                     .size = sizeof what,
                                     .identifierType = 0x60003,
                                     .identifier = {.pValue = queue},
                                     .messageType = 1,
                                     .message = {.ascii = "resource"}};
    (void)nvtxDomainResourceCreate(NULL, &what);
    use(queue, 400);
    nvtxNameClCommandQueueA(NULL, "of nothing");
    return 0;
}
