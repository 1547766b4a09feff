/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver of OpenCL that does nothing, for bench/opencl_calls: what is given to its device is done
 * at once, and costs next to nothing. So what a tool adds to a call can be seen, of which pocl's
 * own time differs by more. All objects are one.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <string.h>
#include <time.h>

static cl_icd_dispatch table;

struct object {
    const cl_icd_dispatch *table;
};
static struct object one = {&table};

static cl_int answer(const void *from, size_t bytes, size_t size, void *value, size_t *size_ret)
{
    if (value)
        memcpy(value, from, bytes < size ? bytes : size);
    if (size_ret)
        *size_ret = bytes;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL ask_platform(cl_platform_id platform, cl_platform_info what, size_t size,
                                       void *value, size_t *size_ret)
{
    const char *text = what == CL_PLATFORM_EXTENSIONS       ? "cl_khr_icd"
                       : what == CL_PLATFORM_VERSION        ? "OpenCL 1.2 empty"
                       : what == CL_PLATFORM_ICD_SUFFIX_KHR ? "EMPTY"
                                                            : "empty";
    (void)platform;
    return answer(text, strlen(text) + 1, size, value, size_ret);
}

static cl_int CL_API_CALL get_platforms(cl_uint n, cl_platform_id *platforms, cl_uint *found)
{
    if (n && platforms)
        platforms[0] = (cl_platform_id)&one;
    if (found)
        *found = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint n,
                                      cl_device_id *devices, cl_uint *found)
{
    (void)platform, (void)type;
    if (n && devices)
        devices[0] = (cl_device_id)&one;
    if (found)
        *found = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL ask(void *object, cl_uint what, size_t size, void *value,
                              size_t *size_ret)
{
    (void)object, (void)what;
    return answer("empty", sizeof "empty", size, value, size_ret);
}

/* Each is done, and began and ended when it is asked. */
static cl_int CL_API_CALL ask_event(cl_event event, cl_event_info what, size_t size, void *value,
                                    size_t *size_ret)
{
    const cl_int done = CL_COMPLETE;
    (void)event, (void)what;
    return answer(&done, sizeof done, size, value, size_ret);
}

static cl_int CL_API_CALL ask_times(cl_event event, cl_profiling_info what, size_t size,
                                    void *value, size_t *size_ret)
{
    struct timespec now;
    (void)event, (void)what;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const cl_ulong ns = (cl_ulong)now.tv_sec * 1000000000 + (cl_ulong)now.tv_nsec;
    return answer(&ns, sizeof ns, size, value, size_ret);
}

/* ---- objects: made with success, and never given back ---- */

static cl_context CL_API_CALL make_context(
    const cl_context_properties *how, cl_uint n, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *code)
{
    (void)how, (void)n, (void)devices, (void)notify, (void)data;
    if (code)
        *code = CL_SUCCESS;
    return (cl_context)&one;
}

static cl_command_queue CL_API_CALL make_queue(cl_context context, cl_device_id device,
                                               cl_command_queue_properties how, cl_int *code)
{
    (void)context, (void)device, (void)how;
    if (code)
        *code = CL_SUCCESS;
    return (cl_command_queue)&one;
}

static cl_program CL_API_CALL make_program(cl_context context, cl_uint n, const char **sources,
                                           const size_t *lengths, cl_int *code)
{
    (void)context, (void)n, (void)sources, (void)lengths;
    if (code)
        *code = CL_SUCCESS;
    return (cl_program)&one;
}

static cl_int CL_API_CALL build(cl_program program, cl_uint n, const cl_device_id *devices,
                                const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                                void *data)
{
    (void)program, (void)n, (void)devices, (void)options, (void)notify, (void)data;
    return CL_SUCCESS;
}

static cl_kernel CL_API_CALL make_kernel(cl_program program, const char *name, cl_int *code)
{
    (void)program, (void)name;
    if (code)
        *code = CL_SUCCESS;
    return (cl_kernel)&one;
}

static cl_mem CL_API_CALL make_buffer(cl_context context, cl_mem_flags flags, size_t bytes,
                                      void *host, cl_int *code)
{
    (void)context, (void)flags, (void)bytes, (void)host;
    if (code)
        *code = CL_SUCCESS;
    return (cl_mem)&one;
}

static cl_int CL_API_CALL succeed(void *object)
{
    (void)object;
    return CL_SUCCESS;
}

/* ---- what is given ---- */

static cl_int CL_API_CALL give_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                                      const size_t *offset, const size_t *global,
                                      const size_t *local, cl_uint n, const cl_event *waits,
                                      cl_event *event)
{
    (void)queue, (void)kernel, (void)dimensions, (void)offset, (void)global, (void)local;
    (void)n, (void)waits;
    if (event)
        *event = (cl_event)&one;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL give_copy(cl_command_queue queue, cl_mem to, cl_bool is_blocking,
                                    size_t offset, size_t bytes, const void *from, cl_uint n,
                                    const cl_event *waits, cl_event *event)
{
    (void)queue, (void)to, (void)is_blocking, (void)offset, (void)bytes, (void)from;
    (void)n, (void)waits;
    if (event)
        *event = (cl_event)&one;
    return CL_SUCCESS;
}

#define PUT(place, function) table.place = (__typeof__(table.place))(function)
__attribute__((constructor)) static void fill(void)
{
    PUT(clGetPlatformIDs, get_platforms);
    PUT(clGetPlatformInfo, ask_platform);
    PUT(clGetDeviceIDs, get_devices);
    PUT(clGetDeviceInfo, ask);
    PUT(clGetKernelInfo, ask);
    PUT(clGetEventInfo, ask_event);
    PUT(clGetEventProfilingInfo, ask_times);
    PUT(clCreateContext, make_context);
    PUT(clCreateCommandQueue, make_queue);
    PUT(clCreateProgramWithSource, make_program);
    PUT(clBuildProgram, build);
    PUT(clCreateKernel, make_kernel);
    PUT(clCreateBuffer, make_buffer);
    PUT(clRetainKernel, succeed);
    PUT(clReleaseKernel, succeed);
    PUT(clRetainEvent, succeed);
    PUT(clReleaseEvent, succeed);
    PUT(clFinish, succeed);
    PUT(clEnqueueNDRangeKernel, give_kernel);
    PUT(clEnqueueWriteBuffer, give_copy);
}

CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint n, cl_platform_id *platforms,
                                                       cl_uint *found)
{
    return get_platforms(n, platforms, found);
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name)
{
    return strcmp(name, "clIcdGetPlatformIDsKHR") == 0 ? (void *)clIcdGetPlatformIDsKHR : NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info what,
                                                  size_t size, void *value, size_t *size_ret)
{
    return ask_platform(platform, what, size, value, size_ret);
}
