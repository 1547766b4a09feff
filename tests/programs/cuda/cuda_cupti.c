/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Uses CUPTI itself, as PyTorch's profiler does: prints CUPTI's results and records, and
 * `way how-often bytes name` of the work given to the device before the session with CUPTI.
 *
 *   profiler  kernels, then a session with CUPTI, then kernels; twice
 *   v2        the same by cuptiSubscribe_v2(), once
 *   activity  a session without a subscriber
 *   first     the session begins before CUDA does
 *   busy      another thread is within a call of CUDA for a while at the request for CUPTI
 *   stuck     for longer than anybody waits
 *   inside    the request for CUPTI comes while the same thread is within a call of CUDA
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fake_cuda.h"

enum { KERNEL = 10, BEFORE = 30, DURING = 20, BUFFER_BYTES = 4096, BUSY_US = 400000 };
enum { STUCK_US = 5000000 };

typedef void callback(void *data, int domain, uint32_t number, const void *call);
typedef void request(uint8_t **buffer, size_t *bytes, size_t *records);
typedef void complete(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid);
int cuptiSubscribe(void **subscriber, callback *call, void *data);
int cuptiSubscribe_v2(void **subscriber, callback *call, void *data, void *params);
int cuptiUnsubscribe(void *subscriber);
int cuptiEnableCallback(uint32_t is_on, void *subscriber, int domain, uint32_t number);
int cuptiActivityRegisterCallbacks(request *asks, complete *completes);
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t bytes, void **record);
int cuptiActivityFlushAll(uint32_t flags);
int cuptiGetTimestamp(uint64_t *now);

/* ---- records and calls from CUPTI ---- */

enum { BUFFERS = 256 };
static void *_Atomic buffers[BUFFERS];
static _Atomic int n_kernels, n_calls, n_strange, n_out_of_time;
static uint64_t session_began;

static uint64_t real_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void asks(uint8_t **buffer, size_t *bytes, size_t *records)
{
    int i = 0;
    *buffer = calloc(1, BUFFER_BYTES);
    *bytes = BUFFER_BYTES;
    *records = 0;
    while (i < BUFFERS && buffers[i])
        i++;
    if (i < BUFFERS)
        buffers[i] = *buffer;
}

/* The program can free only its own buffers; a strange buffer is nothing to free. */
static void completes(void *context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid)
{
    int i = 0;
    void *record = NULL;
    (void)context;
    (void)stream;
    (void)bytes;
    while (i < BUFFERS && buffers[i] != buffer)
        i++;
    if (i == BUFFERS) {
        n_strange++;
        return;
    }
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        int kind;
        uint64_t times[2];
        memcpy(&kind, record, sizeof kind);
        memcpy(times, (char *)record + 16, sizeof times);
        n_kernels += kind == KERNEL;
        n_out_of_time += kind == KERNEL && (times[0] < session_began || times[1] > real_time());
    }
    buffers[i] = NULL;
    free(buffer);
}

static void on_call(void *data, int domain, uint32_t number, const void *call)
{
    (void)data;
    (void)number;
    (void)call;
    n_calls += domain == 1;
}

/* ---- work for the device ---- */

static void kernels(int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (fake_launch(16, 256, 1024, NULL, 50, name) != 0)
            exit(2);
    cuCtxSynchronize();
}

static void start(void)
{
    CUcontext context;
    if (cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0)
        exit(2);
}

static int subscribe(void **subscriber, int way)
{
    return way == 2 ? cuptiSubscribe_v2(subscriber, on_call, NULL, NULL)
           : way    ? cuptiSubscribe(subscriber, on_call, NULL)
                    : 0;
}

/* Prints the results of all calls of CUPTI. */
static void session(int way)
{
    void *subscriber = NULL;
    uint64_t now = 0;
    session_began = real_time();
    printf("subscribe %d\n", subscribe(&subscriber, way));
    printf("callbacks %d\n", cuptiActivityRegisterCallbacks(asks, completes));
    printf("enable %d\n", cuptiActivityEnable(KERNEL));
    if (subscriber)
        printf("calls %d\n", cuptiEnableCallback(1, subscriber, 1, 9));
    cuptiGetTimestamp(&now);
    printf("clock is %s\n", now >= session_began && now <= real_time() ? "right" : "wrong");
    if (way == 3)
        start();
    kernels(DURING, "in_session");
    cuptiActivityDisable(KERNEL);
    cuptiActivityFlushAll(1);
    if (subscriber)
        printf("unsubscribe %d\n", cuptiUnsubscribe(subscriber));
    printf("saw %d kernels, %d callbacks, %d strange buffers, %d wrong times\n", n_kernels, n_calls,
           n_strange, n_out_of_time);
    fflush(stdout);
}

static void before(void)
{
    start();
    kernels(BEFORE, "before");
}

/* ---- other threads ---- */

static void *wait_long(void *us)
{
    start();
    fake_launch(1, 1, 0, NULL, *(unsigned *)us, "long");
    cuCtxSynchronize();
    return NULL;
}

static void with_thread(unsigned us)
{
    pthread_t thread;
    pthread_create(&thread, NULL, wait_long, &us);
    usleep(BUSY_US / 4);
    session(1);
    pthread_join(thread, NULL);
}

static void ask_inside(void *unused)
{
    (void)unused;
    session(1);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    int is_first = strcmp(mode, "first") == 0;
    if (strcmp(mode, "stuck") == 0)
        puts(mode);
    if (!is_first)
        before();
    if (is_first)
        session(3);
    else if (strcmp(mode, "busy") == 0)
        with_thread(BUSY_US);
    else if (strcmp(mode, "stuck") == 0)
        with_thread(STUCK_US);
    else if (strcmp(mode, "inside") == 0)
        cuLaunchHostFunc(NULL, ask_inside, NULL);
    else
        session(strcmp(mode, "v2") == 0 ? 2 : strcmp(mode, "activity") == 0 ? 0 : 1);
    kernels(BEFORE, "after");
    if (strcmp(mode, "profiler") == 0)
        session(1);
    if (!is_first)
        printf("kernel %d 0 before\nother 1 0 wait for context\n", BEFORE);
    return 0;
}
