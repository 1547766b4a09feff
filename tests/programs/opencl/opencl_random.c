/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random program of OpenCL: opencl_random SEED STEPS. It prints the result of each call, and the
 * properties of queues, contexts, events, buffers and kernels, so that two runs can be compared.
 * Work waits for user events. Queues are released before their work ends. Callbacks release the
 * events of the work, and another thread waits for the events.
 *
 * opencl_random race ROUNDS: threads give the first work to the same queue at the same time.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl_setup.h"

enum { QUEUES = 3, BUFFERS = 4, EVENTS = 6, BYTES = 256, PART = 128, LIST = 8, THREADS = 2 };

static const char source[] = "kernel void add(global int *a) { a[get_global_id(0)] += 1; }";

static cl_kernel kernel;
static cl_command_queue queue[QUEUES];
static cl_mem buffer[BUFFERS];
static cl_event event[EVENTS], gate;
static int host[BYTES];
static unsigned long state;
static _Atomic int calls;

static unsigned draw(unsigned n)
{
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(state >> 33) % n;
}

static void must(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        printf("%s: %d\n", what, (int)code);
        exit(1);
    }
}

/* ---- properties of objects ---- */

typedef cl_int ask_function(void *object, cl_uint what, size_t size, void *value, size_t *bytes);
#define ASKER(name, type, function)                                                                \
    static cl_int name(void *object, cl_uint what, size_t size, void *value, size_t *bytes)        \
    {                                                                                              \
        return function((type)object, what, size, value, bytes);                                   \
    }
ASKER(ask_queue, cl_command_queue, clGetCommandQueueInfo)
ASKER(ask_context, cl_context, clGetContextInfo)
ASKER(ask_buffer, cl_mem, clGetMemObjectInfo)
ASKER(ask_kernel, cl_kernel, clGetKernelInfo)
ASKER(ask_event, cl_event, clGetEventInfo)
ASKER(ask_time, cl_event, clGetEventProfilingInfo)

/* The least count for a while: the library's threads let go in their own time. */
static void say_count(const char *name, ask_function *ask, void *object, cl_uint what)
{
    enum { TIMES = 30, PAUSE_US = 1000 };
    cl_uint least = 0;
    for (int i = 0; object && i < TIMES; i++) {
        cl_uint count = 0;
        must(ask(object, what, sizeof count, &count, NULL), name);
        least = i == 0 || count < least ? count : least;
        usleep(PAUSE_US);
    }
    printf(" %s %u", name, least);
}

static void say_counts(void)
{
    printf("references:");
    for (int i = 0; i < QUEUES; i++)
        say_count("queue", ask_queue, queue[i], CL_QUEUE_REFERENCE_COUNT);
    for (int i = 0; i < BUFFERS; i++)
        say_count("buffer", ask_buffer, buffer[i], CL_MEM_REFERENCE_COUNT);
    for (int i = 0; i < EVENTS; i++)
        say_count("event", ask_event, event[i], CL_EVENT_REFERENCE_COUNT);
    say_count("context", ask_context, context, CL_CONTEXT_REFERENCE_COUNT);
    say_count("kernel", ask_kernel, kernel, CL_KERNEL_REFERENCE_COUNT);
    printf("\n");
}

static void say_words(const char *name, ask_function *ask, void *object, cl_uint what, size_t size)
{
    cl_ulong words[LIST];
    size_t bytes = 99;
    memset(words, 0, sizeof words);
    cl_int code = ask(object, what, size, size ? words : NULL, &bytes);
    printf("%s %x in %zu: %d, %zu bytes", name, what, size, (int)code, bytes);
    for (size_t i = 0; i < size / sizeof words[0] && code == CL_SUCCESS; i++)
        printf(" %lx", (unsigned long)words[i]);
    printf("\n");
}

static void say_queue(void)
{
    static const size_t sizes[] = {0, 4, 8, 24, sizeof(cl_ulong) * LIST};
    cl_command_queue q = queue[draw(QUEUES)];
    size_t size = sizes[draw(sizeof sizes / sizeof sizes[0])];
    say_words("queue", ask_queue, q, CL_QUEUE_PROPERTIES, size);
    say_words("queue", ask_queue, q, CL_QUEUE_PROPERTIES_ARRAY, size);
    say_words("queue", ask_queue, q, 0x1099 + draw(2), size);
}

/* ---- steps ---- */

static void new_queue(void)
{
    unsigned at = draw(QUEUES), how = draw(4);
    cl_ulong flags = draw(4);
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0}, none[] = {0};
    cl_int code = 99;
    if (queue[at]) {
        printf("release queue %d\n", (int)clReleaseCommandQueue(queue[at]));
        queue[at] = NULL;
        return;
    }
    if (how == 0)
        queue[at] = clCreateCommandQueue(context, device, flags, &code);
    else
        queue[at] = clCreateCommandQueueWithProperties(context, device,
                                                       how == 1   ? NULL
                                                       : how == 2 ? none
                                                                  : list,
                                                       &code);
    printf("queue %u %lx: %d\n", how, (unsigned long)flags, (int)code);
}

static void new_buffer(void)
{
    unsigned at = draw(BUFFERS), from = draw(BUFFERS);
    const cl_buffer_region part = {draw(2) * PART * sizeof(int), PART * sizeof(int)};
    cl_int code = 99;
    if (buffer[at]) {
        printf("release buffer %d\n", (int)clReleaseMemObject(buffer[at]));
        buffer[at] = NULL;
    } else if (buffer[from] && draw(2)) {
        buffer[at] = clCreateSubBuffer(buffer[from], 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &code);
        printf("part: %d\n", (int)code);
    } else {
        buffer[at] = clCreateBuffer(context, 0, BYTES * sizeof(int), NULL, &code);
        printf("buffer: %d\n", (int)code);
    }
}

static void open_gate(void)
{
    cl_int code = 99;
    if (gate) {
        printf("gate %d", (int)clSetUserEventStatus(gate, CL_COMPLETE));
        printf(" %d\n", (int)clReleaseEvent(gate));
        gate = NULL;
        return;
    }
    gate = clCreateUserEvent(context, &code);
    printf("gate: %d\n", (int)code);
}

static cl_int give(cl_command_queue q, cl_mem a, cl_mem b, cl_event *e)
{
    const size_t items = 8, size = 32;
    const int seven = 7;
    const cl_uint n = gate ? 1 : 0;
    const cl_event *first = gate ? &gate : NULL;
    switch (draw(6)) {
    case 0:
        (void)clSetKernelArg(kernel, 0, sizeof a, &a);
        return clEnqueueNDRangeKernel(q, kernel, 1, NULL, &items, NULL, n, first, e);
    case 1:
        return clEnqueueWriteBuffer(q, a, CL_FALSE, 0, size, host, n, first, e);
    case 2:
        return clEnqueueReadBuffer(q, a, CL_FALSE, 0, size * 8 * draw(6), host, n, first, e);
    case 3:
        return clEnqueueCopyBuffer(q, a, b, 0, 64, size, n, first, e);
    case 4:
        return clEnqueueFillBuffer(q, a, &seven, sizeof seven, 0, size, n, first, e);
    default:
        return clEnqueueMarkerWithWaitList(q, n, first, e);
    }
}

static void CL_CALLBACK let_go(cl_event done, cl_int status, void *data)
{
    (void)status;
    (void)data;
    (void)clReleaseEvent(done);
    atomic_fetch_add(&calls, 1);
}

static void give_work(void)
{
    unsigned at = draw(EVENTS);
    cl_command_queue q = queue[draw(QUEUES)];
    cl_mem a = buffer[draw(BUFFERS)], b = buffer[draw(BUFFERS)];
    cl_event own = NULL;
    bool wants = draw(2), calls_back = draw(2);
    if (!q || !a || !b)
        return;
    cl_int code = give(q, a, b, wants ? &own : NULL);
    printf("give: %d %s\n", (int)code, own ? "an event" : "none");
    if (!own)
        return;
    if (calls_back && code == CL_SUCCESS) {
        printf("callback %d\n", (int)clSetEventCallback(own, CL_COMPLETE, let_go, NULL));
    } else if (event[at]) {
        printf("release event %d\n", (int)clReleaseEvent(own));
    } else {
        event[at] = own;
    }
}

static void drop_event(void)
{
    unsigned at = draw(EVENTS);
    if (event[at])
        printf("release event %d\n", (int)clReleaseEvent(event[at]));
    event[at] = NULL;
}

static void retain(void)
{
    cl_command_queue q = queue[draw(QUEUES)];
    if (q) {
        printf("retain queue %d", (int)clRetainCommandQueue(q));
        printf(" %d\n", (int)clReleaseCommandQueue(q));
    }
}

static void *wait_for(void *list)
{
    return (void *)(size_t)clWaitForEvents(1, list);
}

/* No work is pending afterwards: the following output is the same in every run. */
static void settle(void)
{
    void *code = NULL;
    pthread_t thread;
    if (gate)
        open_gate();
    for (int i = 0; i < QUEUES; i++)
        if (queue[i])
            printf("flush %d\n", (int)clFlush(queue[i]));
    for (int i = 0; i < EVENTS; i++)
        if (event[i] && pthread_create(&thread, NULL, wait_for, &event[i]) == 0) {
            pthread_join(thread, &code);
            printf("waited %d\n", (int)(size_t)code);
        }
    if (draw(2))
        say_counts();
    for (int i = 0; i < QUEUES; i++)
        if (queue[i])
            printf("finish %d\n", (int)clFinish(queue[i]));
    for (int i = 0; i < EVENTS; i++)
        if (event[i]) {
            cl_ulong time = 0;
            cl_int status = 99;
            printf("time %d", (int)ask_time(event[i], CL_PROFILING_COMMAND_END, 8, &time, NULL));
            printf(" %d", (int)ask_event(event[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
                                         &status, NULL));
            printf(" %d\n", (int)status);
        }
    say_counts();
}

static void step(void)
{
    static void (*const steps[])(void) = {new_queue, new_buffer, open_gate, give_work, give_work,
                                          give_work, drop_event, retain,    say_queue, say_queue};
    if (draw(40) == 0)
        settle();
    else
        steps[draw(sizeof steps / sizeof steps[0])]();
}

/* ---- threads that use a new queue ---- */

static _Atomic int ready;

static void *first_work(void *at)
{
    cl_event done = NULL;
    int want = *(int *)at;
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < want)
        ;
    must(clEnqueueFillBuffer(queue[0], buffer[0], host, 4, 0, 32, 0, NULL, &done), "fill");
    must(clReleaseEvent(done), "release");
    return NULL;
}

static void race(int rounds)
{
    cl_int code;
    buffer[0] = clCreateBuffer(context, 0, BYTES, NULL, &code);
    must(code, "buffer");
    for (int round = 1; round <= rounds; round++) {
        pthread_t thread[THREADS];
        int want = round * THREADS;
        queue[0] = clCreateCommandQueue(context, device, 0, &code);
        must(code, "queue");
        for (int i = 0; i < THREADS; i++)
            (void)pthread_create(&thread[i], NULL, first_work, &want);
        for (int i = 0; i < THREADS; i++)
            (void)pthread_join(thread[i], NULL);
        must(clFinish(queue[0]), "finish");
    }
    printf("fill %d %d fill buffer\n", rounds * THREADS, rounds * THREADS * 32);
}

int main(int argc, char **argv)
{
    cl_int code;
    int steps = argc > 2 ? atoi(argv[2]) : 100;
    set_up(source);
    kernel = clCreateKernel(program, "add", &code);
    must(code, "kernel");
    if (argc > 1 && strcmp(argv[1], "race") == 0) {
        race(steps);
        return 0;
    }
    state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    for (int i = 0; i < steps; i++)
        step();
    settle();
    return 0;
}
