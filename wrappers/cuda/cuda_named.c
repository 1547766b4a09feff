/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams that the program gives a name, by the numbers that CUPTI has for them. CUPTI tells of
 * their work later; then the name is there.
 */
#include <errno.h>
#include <stdio.h>

#include "wrappers/cuda/cuda_driver.h"
#include "wrappers/device/device_names.h"

enum { NAMED = 128 };

static struct {
    uint32_t context, stream;
    char name[DEVICE_GIVEN_BYTES];
} named[NAMED];
static struct wrapper_lock lock;
static _Atomic uint32_t n_named;

static void keep(uint32_t context, uint32_t stream, const char *name)
{
    wrapper_lock_take(&lock);
    const uint32_t n = atomic_load(&n_named);
    uint32_t i = 0;
    while (i < n && (named[i].context != context || named[i].stream != stream))
        i++;
    if (i < NAMED) {
        named[i].context = context;
        named[i].stream = stream;
        (void)snprintf(named[i].name, sizeof named[i].name, "%s", name);
        atomic_store(&n_named, i == n ? n + 1 : n);
    }
    wrapper_lock_give(&lock);
}

void cuda_stream_seen(uint32_t context, uint32_t number, struct device_stream *stream)
{
    if (!atomic_load_explicit(&n_named, memory_order_relaxed))
        return;
    wrapper_lock_take(&lock);
    const uint32_t n = atomic_load(&n_named);
    for (uint32_t i = 0; i < n; i++)
        if (named[i].context == context && named[i].stream == number)
            device_stream_name(stream, named[i].name);
    wrapper_lock_give(&lock);
}

static __attribute__((noinline)) void find_and_keep(const void *handle, const char *name)
{
    int (*context_of)(const void *stream, void **context);
    void *found = cuda_driver_symbol("cuStreamGetCtx"), *context = NULL;
    uint32_t context_id, stream_id;
    if (!found || !cupti.cuptiGetContextId || !cupti.cuptiGetStreamIdEx)
        return;
    memcpy(&context_of, &found, sizeof context_of);
    if (context_of(handle, &context) == CUDA_OK &&
        cupti.cuptiGetContextId(context, &context_id) == CUPTI_OK &&
        cupti.cuptiGetStreamIdEx(context, handle, 0, &stream_id) == CUPTI_OK)
        keep(context_id, stream_id, name);
}

static void name_cuda_stream(const void *handle, const char *name)
{
    const int saved = errno;
    if (cuda_may_ask()) {
        spur_inside_begin();
        find_and_keep(handle, name);
        spur_inside_end();
    }
    errno = saved;
}

__attribute__((constructor)) static void serve_names(void)
{
    device_namer_set(DEVICE_NAMED_CUDA, name_cuda_stream);
}
