/* SPDX-License-Identifier: BSD-3-Clause */
/* The runtime: it registers its table when the program first calls it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../device_truth.h"
#include "fake_hip.h"

enum { KERNELS = 64, BLOCKS = 64, NO_STREAM = -1 };

int rocprofiler_register_library_api_table(const char *name, void *import, uint32_t version,
                                           void **tables, uint64_t n, uint64_t *id);

struct fake_stream {
    uint64_t number, queue, free; /* it is free from then on */
    int device;
    struct fake_stream *next;
};

static struct fake_table table;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_stream null_stream[FAKE_DEVICES], *streams;
static uint64_t n_streams;
static _Thread_local int device;
static const char *kernels[KERNELS];

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void start(void)
{
    void *tables[1] = {&table};
    uint64_t id = 0;
    for (int i = 0; i < FAKE_DEVICES; i++)
        null_stream[i] = (struct fake_stream){.queue = 0x7f0000001000 + (uint64_t)i, .device = i};
    rocprofiler_register_library_api_table("hip", NULL, 60400, tables, 1, &id);
}

/* A call, from its beginning on. */
struct call {
    uint32_t number;
    uint64_t correlation, stream;
    int result;
};

static struct call begin(uint32_t number, const struct fake_stream *stream)
{
    struct call call = {number, 0, stream ? stream->number : UINT64_MAX, 0};
    pthread_once(&once, start);
    if (table.call)
        table.call(number, &call.correlation, call.stream, NULL);
    return call;
}

static int end(struct call *call)
{
    if (table.call)
        table.call(call->number, &call->correlation, call->stream, &call->result);
    return call->result;
}

enum {
#define FAKE_CALL(number, name) NUMBER_##name = number,
    FAKE_CALLS(FAKE_CALL)
};

static struct fake_stream *stream_of(hipStream_t stream)
{
    pthread_once(&once, start);
    return stream ? stream : &null_stream[device];
}

/* Kernels are loaded when they are first launched; numbers count from 1. */
static uint64_t kernel_of(const char *name)
{
    uint64_t i = 0;
    pthread_mutex_lock(&lock);
    while (kernels[i] && strcmp(kernels[i], name) != 0)
        i++;
    int is_new = !kernels[i];
    kernels[i] = name;
    pthread_mutex_unlock(&lock);
    if (is_new && table.kernel)
        table.kernel(i + 1, name);
    return i + 1;
}

static void give(struct fake_stream *stream, struct fake_work work, unsigned us)
{
    pthread_mutex_lock(&lock);
    uint64_t now = now_ns();
    work.begin = now > stream->free ? now : stream->free;
    work.end = work.begin + us * (uint64_t)1000;
    stream->free = work.end;
    work.queue = stream->queue;
    const char *other = work.copy == 4 && work.from != work.to ? "another" : NULL;
    tell_truth(&(struct truth){.kind = work.copy,
                               .device = (unsigned)stream->device,
                               .begin = work.begin,
                               .end = work.end,
                               .given = now,
                               .bytes = work.bytes,
                               .items = work.grid * work.block,
                               .name = work.kernel ? kernels[work.kernel - 1] : other});
    pthread_mutex_unlock(&lock);
    if (table.work)
        table.work(&work);
}

void fake_pause(hipStream_t stream, unsigned us)
{
    struct fake_stream *s = stream_of(stream);
    pthread_mutex_lock(&lock);
    s->free = now_ns() + us * (uint64_t)1000;
    pthread_mutex_unlock(&lock);
}

static void sleep_until(uint64_t ns)
{
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) != 0) {
    }
}

/* ---- HIP ---- */

int hipInit(unsigned flags)
{
    (void)flags;
    struct call call = begin(NUMBER_hipInit, NULL);
    return end(&call);
}

int hipSetDevice(int to)
{
    struct call call = begin(NUMBER_hipSetDevice, NULL);
    device = to;
    return end(&call);
}

int hipStreamCreate(hipStream_t *stream)
{
    struct call call = begin(NUMBER_hipStreamCreate, NULL);
    struct fake_stream *made = calloc(1, sizeof *made);
    pthread_mutex_lock(&lock);
    made->number = ++n_streams;
    made->queue = 0x7f0000002000 + n_streams;
    made->device = device;
    made->next = streams;
    streams = made;
    pthread_mutex_unlock(&lock);
    *stream = made;
    return end(&call);
}

int hipStreamSynchronize(hipStream_t stream)
{
    struct call call = begin(NUMBER_hipStreamSynchronize, stream_of(stream));
    sleep_until(stream_of(stream)->free);
    return end(&call);
}

int hipStreamQuery(hipStream_t stream)
{
    enum { BUSY = 600 };
    struct call call = begin(NUMBER_hipStreamQuery, stream_of(stream));
    call.result = now_ns() < stream_of(stream)->free ? BUSY : 0;
    return end(&call);
}

int hipDeviceSynchronize(void)
{
    struct call call = begin(NUMBER_hipDeviceSynchronize, NULL);
    uint64_t last = null_stream[device].free;
    pthread_mutex_lock(&lock);
    for (struct fake_stream *s = streams; s; s = s->next)
        if (s->device == device && s->free > last)
            last = s->free;
    pthread_mutex_unlock(&lock);
    sleep_until(last);
    return end(&call);
}

static struct fake_work kernel_work(const struct call *call, const struct fake_stream *stream,
                                    const char *name)
{
    return (struct fake_work){.correlation = call ? call->correlation : 0,
                              .to = FAKE_GPU + (uint64_t)stream->device,
                              .kernel = kernel_of(name),
                              .grid = 1,
                              .block = 64};
}

int hipLaunchKernel(unsigned grid, unsigned block, unsigned shared, hipStream_t stream, unsigned us,
                    const char *name)
{
    struct fake_stream *s = stream_of(stream);
    struct call call = begin(NUMBER_hipLaunchKernel, s);
    struct fake_work work = kernel_work(&call, s, name);
    work.grid = grid;
    work.block = block;
    work.shared = shared;
    give(s, work, us);
    return end(&call);
}

int hipGraphLaunch(unsigned n, hipStream_t stream, const char *name)
{
    struct fake_stream *s = stream_of(stream);
    struct call call = begin(NUMBER_hipGraphLaunch, s);
    for (unsigned i = 0; i < n; i++)
        give(s, kernel_work(&call, s, name), 5);
    return end(&call);
}

static void copy(const struct call *call, struct fake_stream *s, int kind, size_t bytes, int to)
{
    const uint64_t own = FAKE_GPU + (uint64_t)s->device;
    give(s,
         (struct fake_work){.copy = kind,
                            .correlation = call->correlation,
                            .from = kind <= 2 ? FAKE_CPU : own,
                            .to = kind % 2 ? FAKE_CPU : FAKE_GPU + (uint64_t)to,
                            .bytes = bytes},
         10);
}

int hipMemcpyAsync(int kind, size_t bytes, hipStream_t stream)
{
    struct fake_stream *s = stream_of(stream);
    struct call call = begin(NUMBER_hipMemcpyAsync, s);
    copy(&call, s, kind, bytes, s->device);
    return end(&call);
}

int hipMemcpy(int kind, size_t bytes)
{
    struct fake_stream *s = stream_of(NULL);
    struct call call = begin(NUMBER_hipMemcpy, NULL);
    copy(&call, s, kind, bytes, s->device);
    sleep_until(s->free);
    return end(&call);
}

int hipMemcpyPeerAsync(size_t bytes, int to, hipStream_t stream)
{
    struct fake_stream *s = stream_of(stream);
    struct call call = begin(NUMBER_hipMemcpyPeerAsync, s);
    copy(&call, s, 4, bytes, to);
    return end(&call);
}

int hipMemsetAsync(size_t bytes, hipStream_t stream)
{
    struct fake_stream *s = stream_of(stream);
    struct call call = begin(NUMBER_hipMemsetAsync, s);
    struct fake_work work = kernel_work(&call, s, "__amd_rocclr_fillBufferAligned.kd");
    work.grid = (unsigned)(bytes / 64);
    give(s, work, 5);
    return end(&call);
}

int hipGetLastError(void)
{
    struct call call = begin(NUMBER_hipGetLastError, NULL);
    return end(&call);
}

/* ---- memory ---- */

static uint64_t given_back[BLOCKS];
static int n_given_back;

static void take(uint64_t agent, void **address, size_t bytes)
{
    static uint64_t last = 0x7f5500000000;
    pthread_mutex_lock(&lock);
    const uint64_t at = n_given_back ? given_back[--n_given_back] : (last += 1 << 20);
    pthread_mutex_unlock(&lock);
    *address = (void *)(uintptr_t)at;
    if (table.memory)
        table.memory(agent, at, bytes);
}

int hipMalloc(void **address, size_t bytes)
{
    struct call call = begin(NUMBER_hipMalloc, NULL);
    take(FAKE_GPU + (uint64_t)device, address, bytes);
    return end(&call);
}

int hipHostMalloc(void **address, size_t bytes)
{
    struct call call = begin(NUMBER_hipHostMalloc, NULL);
    take(FAKE_CPU, address, bytes);
    return end(&call);
}

int hipFree(void *address)
{
    struct call call = begin(NUMBER_hipFree, NULL);
    if (table.memory)
        table.memory(0, (uint64_t)(uintptr_t)address, 0);
    pthread_mutex_lock(&lock);
    if (n_given_back < BLOCKS)
        given_back[n_given_back++] = (uint64_t)(uintptr_t)address;
    pthread_mutex_unlock(&lock);
    return end(&call);
}

/* ---- rocTX ---- */

enum {
#define FAKE_CALL(number, name) NUMBER_##name = number,
    FAKE_MARKS(FAKE_CALL)
};

static void mark(uint32_t number, const char *text, uint64_t *id)
{
    static uint64_t ranges;
    pthread_once(&once, start);
    if (table.mark)
        table.mark(number, text, *id, 0);
    if (number == NUMBER_roctxRangeStartA)
        *id = __atomic_fetch_add(&ranges, 1, __ATOMIC_RELAXED);
    if (table.mark)
        table.mark(number, text, *id, 1);
}

void roctxMarkA(const char *text)
{
    mark(NUMBER_roctxMarkA, text, &(uint64_t){0});
}

static _Thread_local int level;

int roctxRangePushA(const char *text)
{
    mark(NUMBER_roctxRangePushA, text, &(uint64_t){0});
    return level++;
}

int roctxRangePop(void)
{
    mark(NUMBER_roctxRangePop, NULL, &(uint64_t){0});
    return level > 0 ? --level : -1;
}

uint64_t roctxRangeStartA(const char *text)
{
    uint64_t id = UINT64_MAX;
    mark(NUMBER_roctxRangeStartA, text, &id);
    return id;
}

void roctxRangeStop(uint64_t id)
{
    mark(NUMBER_roctxRangeStop, NULL, &id);
}

void fake_kernel_of_nobody(const char *name)
{
    struct fake_stream *s = stream_of(NULL);
    give(s, kernel_work(NULL, s, name), 5);
}
