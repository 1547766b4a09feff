/* SPDX-License-Identifier: BSD-3-Clause */
/* A driver of the tests' own (fake_cuda.h): libcuda.so.1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../device_truth.h"
#include "fake_driver.h"

enum { NOT_INITIALIZED = 3, NOT_READY = 600 };
enum { WAIT_STREAM_EVENT = 2, WAIT_STREAM, WAIT_CONTEXT };
static const struct fake_cupti *cupti;
static int is_initialised;
static _Atomic uint32_t correlations, contexts;
_Thread_local CUcontext fake_current;
#define current fake_current

struct call { /* as told to CUPTI */
    uint32_t number, correlation;
    int result;
};

/* ---- the driver's own doings: a lock in each call, and a thread that waits ---- */

static pthread_mutex_t own_lock = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_ever(void *unused)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&lock);
    for (;;)
        pthread_cond_wait(&never, &lock);
    return unused;
}

static void start_thread(void)
{
    pthread_t thread;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are the program's */
    if (pthread_create(&thread, NULL, wait_for_ever, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static struct call begin(uint32_t number)
{
    struct call call = {number, atomic_fetch_add(&correlations, 1) + 1, 0};
    pthread_mutex_lock(&own_lock);
    pthread_mutex_unlock(&own_lock);
    if (cupti)
        cupti->enter(1, number, call.correlation, NULL);
    return call;
}

static void end(struct call *call)
{
    if (cupti)
        cupti->enter(1, call->number, call->correlation, &call->result);
}

#define CALL(number) struct call call __attribute__((cleanup(end))) = begin(number)

void fake_runtime_enter(uint32_t number, uint32_t *correlation)
{
    *correlation = atomic_fetch_add(&correlations, 1) + 1;
    if (cupti)
        cupti->enter(2, number, *correlation, NULL);
}

void fake_runtime_exit(uint32_t number, uint32_t correlation)
{
    if (cupti)
        cupti->enter(2, number, correlation, &(const int){0});
}

/* ---- time ---- */

uint64_t fake_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fake_wait_until(uint64_t ns)
{
    struct timespec at = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0)
        ;
}

static void later(_Atomic uint64_t *at, uint64_t ns)
{
    uint64_t before = atomic_load(at);
    while (before < ns && !atomic_compare_exchange_weak(at, &before, ns))
        ;
}

/* The name of a copy is CUPTI's number for the kind of copy. */
static void tell_truth_of(const struct fake_work *work, uint64_t given)
{
    char copy[32];
    snprintf(copy, sizeof copy, "%d%s", work->copy, work->is_pageable ? " (pageable)" : "");
    tell_truth(&(struct truth){.kind = work->kind,
                               .device = work->device,
                               .context = work->context,
                               .begin = work->begin,
                               .end = work->end,
                               .given = given,
                               .bytes = work->bytes,
                               .items = work->grid * work->block,
                               .name = work->name ? work->name : copy});
}

/* The work lasts `ns`, and begins behind the earlier work of the stream. */
void fake_give(CUstream stream, struct fake_work *work, uint32_t correlation, uint64_t ns)
{
    uint64_t free_at = atomic_load(&stream->free_at), begins, now = fake_now_ns() + 1000;
    do
        begins = free_at > now ? free_at : now;
    while (!atomic_compare_exchange_weak(&stream->free_at, &free_at, begins + ns));
    work->begin = begins;
    work->end = begins + ns;
    work->device = stream->context->device;
    work->context = stream->context->id;
    work->stream = stream->id;
    work->correlation = correlation;
    later(&stream->context->free_at, work->end);
    tell_truth_of(work, now);
    if (cupti)
        cupti->work(work);
}

void fake_pause(CUstream stream, unsigned us)
{
    later(&fake_stream_or_first(stream)->free_at, fake_now_ns() + us * 1000ull);
}

/* ---- start, contexts, streams ---- */

static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *address = library ? dlsym(library, "InitializeInjection") : NULL;
    int (*initialize)(void);
    memcpy(&initialize, &address, sizeof initialize);
    if (address)
        (void)initialize();
    start_thread();
    void *own = dlopen("libcupti.so.13", RTLD_NOW | RTLD_NOLOAD);
    cupti = own ? dlsym(own, "fake_cupti") : NULL;
    if (cupti)
        cupti->resource(5);
}

int cuInit(unsigned flags)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)flags;
    pthread_mutex_lock(&lock);
    if (!is_initialised)
        inject();
    is_initialised = 1;
    pthread_mutex_unlock(&lock);
    CALL(1);
    return 0;
}

static CUstream new_stream(CUcontext context)
{
    CUstream stream = calloc(1, sizeof *stream);
    stream->context = context;
    stream->id = 7 + context->streams++;
    return stream;
}

int cuCtxCreate_v2(CUcontext *context, unsigned flags, int device)
{
    (void)flags;
    if (!is_initialised)
        return NOT_INITIALIZED;
    CALL(2);
    *context = current = calloc(1, sizeof *current);
    current->id = atomic_fetch_add(&contexts, 1) + 1;
    current->device = (uint32_t)device;
    current->first = new_stream(current);
    return 0;
}

/* The work of the context ends before its destruction. */
int cuCtxDestroy_v2(CUcontext context)
{
    CALL(3);
    fake_wait_until(atomic_load(&context->free_at));
    if (cupti)
        cupti->resource(2);
    if (current == context)
        current = NULL;
    fake_context_gone(context);
    free(context->first);
    free(context);
    return 0;
}

int cuCtxSetCurrent(CUcontext context)
{
    CALL(4);
    current = context;
    return 0;
}

CUstream fake_stream_or_first(CUstream stream)
{
    return stream && stream != FAKE_PER_THREAD ? stream : current->first;
}

int cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    CALL(6);
    *stream = new_stream(current);
    return 0;
}

int cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    *context = fake_stream_or_first(stream)->context;
    return 0;
}

/* ---- waiting ---- */

static void tell_wait(int how, CUcontext context, uint32_t correlation, uint64_t since)
{
    const struct fake_work work = {.kind = 38,
                                   .copy = how,
                                   .context = context->id,
                                   .correlation = correlation,
                                   .begin = since,
                                   .end = fake_now_ns()};
    if (cupti)
        cupti->work(&work);
}

static const void *_Atomic waited_from;

const void *fake_waited_from(void)
{
    return waited_from;
}

int cuCtxSynchronize(void)
{
    CALL(5);
    waited_from = __builtin_return_address(0);
    uint64_t since = fake_now_ns();
    fake_wait_until(atomic_load(&current->free_at));
    tell_wait(WAIT_CONTEXT, current, call.correlation, since);
    return 0;
}

int cuStreamQuery(CUstream stream)
{
    CALL(21);
    stream = fake_stream_or_first(stream);
    return call.result = fake_now_ns() < atomic_load(&stream->free_at) ? NOT_READY : 0;
}

int cuStreamSynchronize(CUstream stream)
{
    CALL(7);
    uint64_t since = fake_now_ns();
    stream = fake_stream_or_first(stream);
    fake_wait_until(atomic_load(&stream->free_at));
    tell_wait(WAIT_STREAM, stream->context, call.correlation, since);
    return 0;
}

int cuStreamWaitEvent(CUstream stream, void *event, unsigned flags)
{
    (void)event;
    (void)flags;
    CALL(8);
    tell_wait(WAIT_STREAM_EVENT, fake_stream_or_first(stream)->context, call.correlation,
              fake_now_ns());
    return 0;
}

/* ---- work ---- */

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   CUstream stream, void **parameters, void **extra)
{
    const unsigned us = *(const unsigned *)parameters[0];
    (void)extra;
    if (fake_stream_or_first(stream)->capture) {
        fake_stream_or_first(stream)->capture->kernels++;
        fake_stream_or_first(stream)->capture->name = function;
        return 0;
    }
    struct fake_work work = {.kind = 10,
                             .name = function,
                             .grid = grid_x * grid_y * grid_z,
                             .block = block_x * block_y * block_z,
                             .shared = shared};
    CALL(9);
    fake_give(fake_stream_or_first(stream), &work, call.correlation, us * 1000ull);
    return 0;
}

int cuGraphLaunch(struct fake_graph *graph, CUstream stream)
{
    const unsigned kernels = graph->kernels;
    const char *name = graph->name;
    CALL(10);
    for (unsigned i = 0; i < kernels; i++) {
        struct fake_work work = {
            .kind = 10, .name = name, .grid = 1, .block = 1, .graph = 3, .node = i + 1ull};
        fake_give(fake_stream_or_first(stream), &work, call.correlation, 2000);
    }
    struct fake_work copy = {
        .kind = 1, .copy = 1, .bytes = 4096, .graph = 3, .node = kernels + 1ull};
    fake_give(fake_stream_or_first(stream), &copy, call.correlation, 2000);
    struct fake_work fill = {.kind = 2, .bytes = 512, .graph = 3, .node = kernels + 2ull};
    fake_give(fake_stream_or_first(stream), &fill, call.correlation, 2000);
    return 0;
}

int cuLaunchHostFunc(CUstream stream, void (*function)(void *data), void *data)
{
    (void)stream;
    CALL(20);
    function(data);
    return 0;
}

int cuMemcpyAsync(int kind, int is_pageable, size_t bytes, CUstream stream)
{
    struct fake_work work = {.kind = 1, .copy = kind, .is_pageable = is_pageable, .bytes = bytes};
    CALL(11);
    fake_give(fake_stream_or_first(stream), &work, call.correlation, 1000 + bytes / 16);
    return 0;
}

int cuMemcpyPeerAsync(uint64_t to, CUcontext to_context, uint64_t from, CUcontext from_context,
                      size_t bytes, CUstream stream)
{
    (void)to;
    (void)to_context;
    (void)from;
    (void)from_context;
    struct fake_work work = {.kind = 22, .copy = 10, .bytes = bytes};
    CALL(12);
    fake_give(fake_stream_or_first(stream), &work, call.correlation, 1000 + bytes / 16);
    return 0;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, CUstream stream)
{
    (void)to;
    (void)value;
    struct fake_work work = {.kind = 2, .bytes = bytes};
    CALL(13);
    fake_give(fake_stream_or_first(stream), &work, call.correlation, 1000 + bytes / 64);
    return 0;
}

/* ---- memory ---- */

void fake_touch(int kind, size_t bytes, unsigned from, unsigned to, unsigned us, int process)
{
    const uint64_t now = fake_now_ns();
    const struct fake_work work = {.kind = 25,
                                   .copy = kind,
                                   .bytes = bytes,
                                   .device = from,
                                   .context = to,
                                   .stream = (uint32_t)(process ? process : getpid()),
                                   .begin = now,
                                   .end = now + us * 1000ull};
    fake_wait_until(work.end);
    if (cupti)
        cupti->work(&work);
}

enum { BLOCKS = 4096 };

static struct block {
    uint64_t address;
    size_t bytes;
    int kind;
    CUcontext context;
} blocks[BLOCKS];
static pthread_mutex_t blocks_lock = PTHREAD_MUTEX_INITIALIZER;

static void tell_memory(const struct block *block, uint32_t correlation, int is_release)
{
    const uint64_t now = fake_now_ns();
    struct fake_work work = {.kind = 49,
                             .copy = is_release,
                             .is_pageable = block->kind,
                             .bytes = block->bytes,
                             .node = block->address,
                             .device = block->context->device,
                             .context = block->context->id,
                             .correlation = correlation,
                             .begin = now,
                             .end = now};
    if (cupti)
        cupti->work(&work);
    work.kind = 50; /* of a pool */
    if (cupti)
        cupti->work(&work);
}

/* The last address that was given back is taken next. */
static int take(uint64_t *address, size_t bytes, int kind, uint32_t correlation)
{
    int i = 0;
    pthread_mutex_lock(&blocks_lock);
    while (i < BLOCKS && blocks[i].context)
        i++;
    if (i < BLOCKS) {
        *address = (uint64_t)(i + 1) << 20;
        blocks[i] = (struct block){*address, bytes, kind, current};
        tell_memory(&blocks[i], correlation, 0);
    }
    pthread_mutex_unlock(&blocks_lock);
    return i == BLOCKS;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    CALL(14);
    return take(address, bytes, FAKE_DEVICE, call.correlation);
}

int cuArrayCreate_v2(uint64_t *address, size_t bytes)
{
    CALL(15);
    return take(address, bytes, FAKE_ARRAY, call.correlation);
}

int cuMemAllocManaged(uint64_t *address, size_t bytes, unsigned flags)
{
    (void)flags;
    CALL(16);
    return take(address, bytes, FAKE_MANAGED, call.correlation);
}

int cuMemHostAlloc(uint64_t *address, size_t bytes, unsigned flags)
{
    (void)flags;
    CALL(17);
    return take(address, bytes, FAKE_PINNED, call.correlation);
}

int cuMemAllocAsync(uint64_t *address, size_t bytes, CUstream stream)
{
    (void)stream;
    CALL(18);
    return take(address, bytes, FAKE_DEVICE, call.correlation);
}

int cuMemFree_v2(uint64_t address)
{
    CALL(19);
    pthread_mutex_lock(&blocks_lock);
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].context && blocks[i].address == address) {
            tell_memory(&blocks[i], call.correlation, 1);
            blocks[i].context = NULL;
        }
    pthread_mutex_unlock(&blocks_lock);
    return 0;
}

int fake_memory_kind(uint64_t address)
{
    int kind = 0;
    pthread_mutex_lock(&blocks_lock);
    for (int i = 0; i < BLOCKS; i++)
        if (blocks[i].context && address >= blocks[i].address &&
            address < blocks[i].address + blocks[i].bytes)
            kind = blocks[i].kind;
    pthread_mutex_unlock(&blocks_lock);
    return kind;
}
