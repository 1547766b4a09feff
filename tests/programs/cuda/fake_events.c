/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a program without CUPTI sees of the driver (fake_cuda.h): events, streams that are captured,
 * contexts, names of functions. As CUDA's does, it breaks a capture if a thread that has not said
 * otherwise makes or asks for an event meanwhile; and events of a context that is gone are nothing
 * that may be asked for.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_driver.h"

enum { OK, INVALID_VALUE, NOT_FOUND = 500, NOT_READY = 600, CAPTURE_INVALIDATED = 901 };
enum { CAPTURE_UNSUPPORTED = 900, RELAXED = 2, CAPTURED = 1 };

/* ---- contexts ---- */

int cuCtxGetCurrent(CUcontext *context)
{
    *context = fake_current;
    return OK;
}

int cuCtxGetId(CUcontext context, unsigned long long *id)
{
    *id = context->id;
    return OK;
}

int cuCtxGetDevice(int *device)
{
    *device = (int)fake_current->device;
    return OK;
}

static _Thread_local CUcontext pushed;

int cuCtxPushCurrent_v2(CUcontext context)
{
    pushed = fake_current;
    fake_current = context;
    return OK;
}

int cuCtxPopCurrent_v2(CUcontext *context)
{
    *context = fake_current;
    fake_current = pushed;
    return OK;
}

int cuDeviceGetName(char *name, int room, int device)
{
    snprintf(name, (size_t)room, "Fake GPU %d", device);
    return OK;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *is_active)
{
    (void)device;
    *flags = 0;
    *is_active = 1;
    return OK;
}

int cuPointerGetAttribute(void *value, int what, uint64_t address)
{
    int kind = fake_memory_kind(address);
    (void)what;
    if (!kind)
        return INVALID_VALUE;
    *(unsigned *)value = kind == FAKE_PINNED ? 1 : 2;
    return OK;
}

/* ---- captures ---- */

static _Atomic int n_captures, is_broken;
static _Thread_local int mode; /* global */

int cuThreadExchangeStreamCaptureMode(int *other)
{
    int before = mode;
    mode = *other;
    *other = before;
    return OK;
}

static int is_unsafe(void)
{
    if (!n_captures || mode == RELAXED)
        return 0;
    is_broken = 1;
    return 1;
}

int cuStreamBeginCapture_v2(CUstream stream, int of_mode)
{
    (void)of_mode;
    stream->capture = calloc(1, sizeof *stream->capture);
    n_captures++;
    return OK;
}

int cuStreamEndCapture(CUstream stream, struct fake_graph **graph)
{
    *graph = stream->capture;
    stream->capture = NULL;
    n_captures--;
    return is_broken ? CAPTURE_INVALIDATED : OK;
}

int cuStreamIsCapturing(CUstream stream, int *status)
{
    *status = fake_stream_or_first(stream)->capture ? CAPTURED : 0;
    return OK;
}

int cuStreamDestroy_v2(CUstream stream)
{
    fake_wait_until(stream->free_at);
    free(stream);
    return OK;
}

/* ---- events ---- */

struct fake_event {
    uint32_t context;
    uint64_t at; /* 0: never */
};

enum { CONTEXTS = 1024 };
static _Atomic int is_gone[CONTEXTS];

void fake_context_gone(CUcontext context)
{
    is_gone[context->id % CONTEXTS] = 1;
}

static void check(const struct fake_event *event)
{
    if (is_gone[event->context % CONTEXTS])
        abort();
}

int cuEventCreate(void **event, unsigned flags)
{
    struct fake_event *made = calloc(1, sizeof *made);
    (void)flags;
    if (is_unsafe())
        return CAPTURE_UNSUPPORTED;
    made->context = fake_current->id;
    *event = made;
    return OK;
}

int cuEventRecord(void *event, CUstream stream)
{
    struct fake_event *e = event;
    check(e);
    stream = fake_stream_or_first(stream);
    if (stream->context->id != e->context)
        return INVALID_VALUE;
    if (stream->capture) {
        stream->capture->events++;
        return OK;
    }
    uint64_t now = fake_now_ns(), free_at = stream->free_at;
    e->at = now > free_at ? now : free_at;
    return OK;
}

static int is_done(const struct fake_event *e)
{
    check(e);
    return fake_now_ns() >= e->at;
}

int cuEventQuery(void *event)
{
    if (is_unsafe())
        return CAPTURE_UNSUPPORTED;
    return is_done(event) ? OK : NOT_READY;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
    const struct fake_event *a = from, *b = to;
    if (!a->at || !b->at)
        return INVALID_VALUE;
    if (!is_done(a) || !is_done(b))
        return NOT_READY;
    *ms = (float)((double)(int64_t)(b->at - a->at) / 1e6);
    return OK;
}

/* ---- copies ---- */

static int copy(size_t bytes, CUstream stream, int is_waiting)
{
    struct fake_work work = {.kind = 1};
    stream = fake_stream_or_first(stream);
    fake_give(stream, &work, 0, 1000 + bytes / 16);
    if (is_waiting)
        fake_wait_until(stream->free_at);
    return OK;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, CUstream stream)
{
    (void)to;
    (void)from;
    return copy(bytes, stream, 0);
}

int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, CUstream stream)
{
    (void)to;
    (void)from;
    return copy(bytes, stream, 0);
}

int cuMemcpy(uint64_t to, uint64_t from, size_t bytes)
{
    (void)to;
    (void)from;
    return copy(bytes, NULL, 1);
}

/* ---- names ---- */

enum { NAMES = 256 };

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    static const char *_Atomic names[NAMES];
    (void)module;
    for (int i = 0; i < NAMES; i++) {
        const char *none = NULL;
        if (!names[i])
            atomic_compare_exchange_strong(&names[i], &none, strdup(name));
        if (strcmp(names[i], name) == 0) {
            *function = (void *)names[i];
            return OK;
        }
    }
    return NOT_FOUND;
}

/* The second version of a function if there is one, and that for threads if it is asked for. */
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
                        int *status)
{
    static const char *const ends[] = {"_v2_ptsz", "_ptsz", "_v2", ""};
    void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    (void)version;
    *function = NULL;
    for (unsigned i = flags & 2 ? 0 : 2; !*function && i < sizeof ends / sizeof ends[0]; i++) {
        char name[256];
        snprintf(name, sizeof name, "%s%s", symbol, ends[i]);
        *function = dlsym(self, name);
    }
    if (status)
        *status = *function ? 0 : 1;
    return *function ? OK : NOT_FOUND;
}
