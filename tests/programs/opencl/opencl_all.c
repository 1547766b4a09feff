/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenCL by every way to give work to a device, with checked results. The program counts and prints
 * its own work: "kernel NAME N", "copy NAME N BYTES". Modes: all, order (out-of-order queues), info
 * (the properties of queues and events), exit (nothing is waited for, nothing released), fork,
 * threads, errors, dlopen (the library is opened, not linked).
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../device_given.h"
#include "opencl_setup.h"

enum {
    N = 4096,
    BYTES = N * sizeof(int),
    SIDE = 16,
    PIXEL = 4,
    THREADS = 4,
    ROUNDS = 50,
    FINISHED_REFERENCES = 2
};

static const char source[] =
    "kernel void twice(global int *a) { a[get_global_id(0)] *= 2; }"
    "kernel void add(global int *a, int b) { a[get_global_id(0)] += b; }"
    "kernel void one(global int *a) { a[0] += 1; }"
    "kernel void spin(global int *a, int n) { int x = 0; for (int i = 0; i < n; i++) x = x * 3 + i;"
    " a[get_global_id(0)] = x; }";

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s is not so\n", __LINE__, #condition);                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void run(cl_command_queue queue, cl_kernel kernel, const char *name, cl_event *event)
{
    const size_t items = N, group = 64;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, event));
    count(KERNEL, name, 1, 0);
}

/* ---- buffers ---- */

static void buffers(cl_command_queue queue)
{
    static int host[N], back[N];
    cl_mem a = buffer_of(BYTES), b = buffer_of(BYTES);
    cl_kernel twice = kernel_of("twice", a), add = kernel_of("add", b), one = kernel_of("one", b);
    const int three = 3, seven = 7;
    const size_t origin[3] = {0, 0, 0}, rows[3] = {64, 4, 2};
    cl_event event;
    cl_int code;
    for (int i = 0; i < N; i++)
        host[i] = i;
    CHECK(clSetKernelArg(add, 1, sizeof three, &three));
    CHECK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, BYTES, host, 0, NULL, NULL));
    count(GET, "write buffer", 1, BYTES);
    run(queue, twice, "twice", &event);
    CHECK(clEnqueueCopyBuffer(queue, a, b, 0, 0, BYTES, 1, &event, NULL));
    count(PUT, "copy buffer", 1, BYTES);
    CHECK(clReleaseEvent(event));
    run(queue, add, "add", NULL);
    CHECK(clEnqueueTask(queue, one, 0, NULL, NULL));
    count(KERNEL, "one", 1, 0);
    CHECK(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, BYTES, back, 0, NULL, NULL));
    count(PUT, "read buffer", 1, BYTES);
    for (int i = 0; i < N; i++)
        EXPECT(back[i] == 2 * i + 3 + (i == 0));
    CHECK(clEnqueueFillBuffer(queue, a, &seven, sizeof seven, 0, BYTES, 0, NULL, NULL));
    count(FILL, "fill buffer", 1, BYTES);
    CHECK(clEnqueueCopyBufferRect(queue, a, b, origin, origin, rows, 64, 256, 64, 256, 0, NULL,
                                  NULL));
    count(PUT, "copy buffer", 1, 64 * 4 * 2);
    CHECK(clEnqueueWriteBufferRect(queue, a, CL_FALSE, origin, origin, rows, 64, 256, 64, 256, host,
                                   0, NULL, NULL));
    count(GET, "write buffer", 1, 64 * 4 * 2);
    CHECK(clEnqueueReadBufferRect(queue, b, CL_TRUE, origin, origin, rows, 64, 256, 64, 256, back,
                                  0, NULL, NULL));
    count(PUT, "read buffer", 1, 64 * 4 * 2);
    for (int i = 0; i < 128; i++)
        EXPECT(back[i] == seven);
    int *mapped = clEnqueueMapBuffer(queue, a, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, BYTES, 0,
                                     NULL, NULL, &code);
    CHECK(code);
    count(PUT, "map", 1, BYTES);
    EXPECT(mapped[127] == 127 && mapped[N - 1] == seven);
    CHECK(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, &event));
    count(OTHER, "unmap", 1, 0);
    CHECK(clEnqueueMigrateMemObjects(queue, 1, &a, 0, 1, &event, NULL));
    count(GET, "migrate", 1, BYTES);
    CHECK(clReleaseEvent(event));
    CHECK(clEnqueueMarkerWithWaitList(queue, 0, NULL, &event));
    CHECK(clEnqueueBarrierWithWaitList(queue, 1, &event, NULL));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clReleaseEvent(event));
    CHECK(clFinish(queue));
    CHECK(clReleaseKernel(twice));
    CHECK(clReleaseKernel(add));
    CHECK(clReleaseKernel(one));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
}

static void images(cl_command_queue queue)
{
    static unsigned char host[SIDE * SIDE * PIXEL], back[sizeof host];
    const cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    const cl_image_desc shape = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                 .image_width = SIDE,
                                 .image_height = SIDE};
    const size_t origin[3] = {0, 0, 0}, whole[3] = {SIDE, SIDE, 1};
    const cl_uint color[4] = {1, 2, 3, 4};
    size_t pitch;
    cl_int code;
    cl_mem a = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &code);
    CHECK(code);
    cl_mem b = clCreateImage(context, CL_MEM_READ_WRITE, &format, &shape, NULL, &code);
    CHECK(code);
    cl_mem c = buffer_of(sizeof host);
    for (size_t i = 0; i < sizeof host; i++)
        host[i] = (unsigned char)(i * 7);
    CHECK(clEnqueueWriteImage(queue, a, CL_FALSE, origin, whole, 0, 0, host, 0, NULL, NULL));
    count(GET, "write image", 1, sizeof host);
    CHECK(clEnqueueCopyImage(queue, a, b, origin, origin, whole, 0, NULL, NULL));
    count(PUT, "copy image", 1, sizeof host);
    CHECK(clEnqueueCopyImageToBuffer(queue, b, c, origin, whole, 0, 0, NULL, NULL));
    count(PUT, "copy image to buffer", 1, sizeof host);
    CHECK(clEnqueueFillImage(queue, a, color, origin, whole, 0, NULL, NULL));
    count(FILL, "fill image", 1, sizeof host);
    CHECK(clEnqueueCopyBufferToImage(queue, c, a, 0, origin, whole, 0, NULL, NULL));
    count(PUT, "copy buffer to image", 1, sizeof host);
    CHECK(clEnqueueReadImage(queue, a, CL_TRUE, origin, whole, 0, 0, back, 0, NULL, NULL));
    count(PUT, "read image", 1, sizeof host);
    EXPECT(memcmp(host, back, sizeof host) == 0);
    void *mapped = clEnqueueMapImage(queue, a, CL_TRUE, CL_MAP_READ, origin, whole, &pitch, NULL, 0,
                                     NULL, NULL, &code);
    CHECK(code);
    count(PUT, "map image", 1, sizeof host);
    EXPECT(memcmp(mapped, host, SIDE * PIXEL) == 0);
    CHECK(clEnqueueUnmapMemObject(queue, a, mapped, 0, NULL, NULL));
    count(OTHER, "unmap", 1, 0);
    CHECK(clFinish(queue));
    CHECK(clReleaseMemObject(a));
    CHECK(clReleaseMemObject(b));
    CHECK(clReleaseMemObject(c));
}

static void shared_memory(cl_command_queue queue)
{
    const int five = 5;
    int *a = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    int *b = clSVMAlloc(context, CL_MEM_READ_WRITE, BYTES, 0);
    EXPECT(a && b);
    CHECK(clEnqueueSVMMemFill(queue, a, &five, sizeof five, BYTES, 0, NULL, NULL));
    count(FILL, "fill shared memory", 1, BYTES);
    CHECK(clEnqueueSVMMemcpy(queue, CL_FALSE, b, a, BYTES, 0, NULL, NULL));
    count(PUT, "copy shared memory", 1, BYTES);
    CHECK(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, b, BYTES, 0, NULL, NULL));
    count(OTHER, "map shared memory", 1, 0);
    EXPECT(b[N - 1] == five);
    CHECK(clEnqueueSVMUnmap(queue, b, 0, NULL, NULL));
    count(OTHER, "unmap shared memory", 1, 0);
    const void *moves[] = {a, b};
    CHECK(clEnqueueSVMMigrateMem(queue, 2, moves, NULL, 0, 0, NULL, NULL));
    count(OTHER, "migrate shared memory", 1, 0);
    void *frees[] = {b};
    CHECK(clEnqueueSVMFree(queue, 1, frees, NULL, NULL, 0, NULL, NULL));
    CHECK(clFinish(queue));
    clSVMFree(context, a);
}

static void CL_CALLBACK native(void *argument)
{
    **(int **)argument += 1;
}

static void native_kernel(cl_command_queue queue)
{
    static int calls;
    int *at = &calls;
    CHECK(clEnqueueNativeKernel(queue, native, &at, sizeof at, 0, NULL, NULL, 0, NULL, NULL));
    count(OTHER, "native kernel", 1, 0);
    CHECK(clFinish(queue));
    EXPECT(calls == 1);
}

/* ---- properties of queues and events ---- */

static void ask_queue(cl_command_queue_properties properties)
{
    const cl_queue_properties asked[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_queue_properties list[8] = {0};
    cl_command_queue_properties said = 99;
    cl_uint references = 0;
    cl_ulong time;
    size_t bytes;
    cl_event event;
    cl_int code;
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, asked, &code);
    CHECK(code);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof said, &said, NULL));
    EXPECT(said == properties);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
    EXPECT(bytes == sizeof asked && memcmp(list, asked, bytes) == 0);
    EXPECT(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, 1, list, NULL) ==
           CL_INVALID_VALUE);
    cl_mem memory = buffer_of(BYTES);
    cl_kernel twice = kernel_of("twice", memory);
    cl_event gate = clCreateUserEvent(context, &code);
    CHECK(code);
    const size_t items = N;
    CHECK(clEnqueueNDRangeKernel(queue, twice, 1, NULL, &items, NULL, 1, &gate, &event));
    count(KERNEL, "twice", 1, 0);
    CHECK(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
    printf("pending event: %u references\n", references);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &event));
    CHECK(clFinish(queue));
    /* The library's own threads let go of the event in their own time. */
    do {
        usleep(1000);
        CHECK(
            clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL));
    } while (references > FINISHED_REFERENCES);
    printf("finished event: %u references\n", references);
    code = clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof time, &time, NULL);
    printf("profiling: %d\n", (int)code);
    CHECK(clReleaseEvent(gate));
    CHECK(clReleaseEvent(event));
    CHECK(clReleaseKernel(twice));
    CHECK(clReleaseMemObject(memory));
    CHECK(clReleaseCommandQueue(queue));
}

static void info(void)
{
    cl_queue_properties list[8];
    cl_command_queue_properties said;
    size_t bytes = 99;
    cl_int code;
    ask_queue(0);
    ask_queue(CL_QUEUE_PROFILING_ENABLE);
    ask_queue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &code);
    CHECK(code);
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &bytes));
    CHECK(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof said, &said, NULL));
    printf("no list: %zu bytes, properties %lx\n", bytes, (unsigned long)said);
    CHECK(clReleaseCommandQueue(queue));
}

static void errors(cl_command_queue queue)
{
    const size_t items = N;
    cl_event event = (cl_event)(size_t)0x1234;
    cl_int code = 77;
    cl_mem memory = buffer_of(BYTES);
    cl_kernel twice = kernel_of("twice", memory);
    printf("errors: %d",
           clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 2 * BYTES, &code, 0, NULL, &event));
    printf(" %d", clEnqueueReadBuffer(NULL, memory, CL_TRUE, 0, 4, &code, 0, NULL, &event));
    printf(" %d", clEnqueueNDRangeKernel(queue, twice, 9, NULL, &items, NULL, 0, NULL, &event));
    printf(" %d", clFinish(NULL));
    printf(" %d", clWaitForEvents(0, NULL));
    printf(" %p",
           clEnqueueMapBuffer(NULL, memory, CL_TRUE, CL_MAP_READ, 0, 8, 0, NULL, &event, &code));
    printf(" %d", (int)code);
    printf(" %p", (void *)clCreateCommandQueue(NULL, device, 0, &code));
    printf(" %d", (int)code);
    printf(" %p", (void *)clCreateCommandQueue(context, device, 1 << 20, &code));
    printf(" %d %p\n", (int)code, (void *)event);
    CHECK(clReleaseKernel(twice));
    CHECK(clReleaseMemObject(memory));
}

/* ---- ways to run ---- */

static void order(void)
{
    cl_command_queue queue = queue_of(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_mem memory[THREADS];
    cl_kernel spin[THREADS];
    for (int i = 0; i < THREADS; i++) {
        int turns = 2000 * (THREADS - i);
        memory[i] = buffer_of(BYTES);
        spin[i] = kernel_of("spin", memory[i]);
        CHECK(clSetKernelArg(spin[i], 1, sizeof turns, &turns));
    }
    for (int round = 0; round < ROUNDS; round++)
        run(queue, spin[round % THREADS], "spin", NULL);
    CHECK(clFinish(queue));
    CHECK(clReleaseCommandQueue(queue));
}

static void *work(void *unused)
{
    cl_command_queue queue = queue_of(0);
    cl_mem memory = buffer_of(BYTES);
    cl_kernel twice = kernel_of("twice", memory);
    for (int i = 0; i < ROUNDS; i++)
        run(queue, twice, "twice", NULL);
    CHECK(clFinish(queue));
    CHECK(clReleaseKernel(twice));
    CHECK(clReleaseMemObject(memory));
    CHECK(clReleaseCommandQueue(queue));
    return unused;
}

static void threads(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* The library, opened by the program itself. */
static void opened(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    EXPECT(library);
    cl_int (*finish)(cl_command_queue);
    cl_int (*give)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                   const size_t *, cl_uint, const cl_event *, cl_event *);
    void *at = dlsym(library, "clFinish");
    memcpy(&finish, &at, sizeof at);
    at = dlsym(library, "clEnqueueNDRangeKernel");
    memcpy(&give, &at, sizeof at);
    const size_t items = N;
    cl_command_queue queue = queue_of(0);
    cl_kernel twice = kernel_of("twice", buffer_of(BYTES));
    CHECK(give(queue, twice, 1, NULL, &items, NULL, 0, NULL, NULL));
    count(KERNEL, "twice", 1, 0);
    CHECK(finish(queue));
}

/* Nothing is waited for but by polling, and nothing is released. */
static void leave(void)
{
    cl_command_queue queue = queue_of(0);
    cl_kernel twice = kernel_of("twice", buffer_of(BYTES));
    cl_event last;
    cl_int status = CL_QUEUED;
    for (int i = 0; i < ROUNDS; i++)
        run(queue, twice, "twice", i + 1 == ROUNDS ? &last : NULL);
    CHECK(clFlush(queue));
    while (status != CL_COMPLETE) {
        CHECK(
            clGetEventInfo(last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        usleep(1000);
    }
}

/* A child without any OpenCL, and a child that ends in the middle. */
static void forks(void)
{
    work(NULL);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        if (child == 0)
            exit(i);
        int status;
        EXPECT(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == i);
    }
    work(NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "all";
    set_up(source);
    if (strcmp(mode, "all") == 0) {
        cl_command_queue queue = queue_of(0);
        buffers(queue);
        images(queue);
        shared_memory(queue);
        native_kernel(queue);
        CHECK(clReleaseCommandQueue(queue));
    } else if (strcmp(mode, "info") == 0) {
        info();
    } else if (strcmp(mode, "errors") == 0) {
        errors(queue_of(0));
    } else if (strcmp(mode, "order") == 0) {
        order();
    } else if (strcmp(mode, "threads") == 0) {
        threads();
    } else if (strcmp(mode, "dlopen") == 0) {
        opened();
    } else if (strcmp(mode, "exit") == 0) {
        leave();
    } else {
        forks();
    }
    print();
    if (strcmp(mode, "exit") != 0) {
        CHECK(clReleaseProgram(program));
        CHECK(clReleaseContext(context));
    }
    return 0;
}
