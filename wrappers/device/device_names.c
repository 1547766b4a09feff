/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/device/device_names.h"

#include <stdio.h>

#include "wrappers/device/device_state.h"

static device_namer *_Atomic namers[DEVICE_NAMERS];

void device_namer_set(enum device_named kind, device_namer *namer)
{
    atomic_store(&namers[kind], namer);
}

__attribute__((noinline)) void device_name_handle(enum device_named kind, const void *handle,
                                                  const char *name)
{
    device_namer *namer = atomic_load(&namers[kind]);
    if (namer && *name)
        namer(handle, name);
}

void device_stream_name(struct device_stream *stream, const char *name)
{
    wrapper_lock_take(&stream->collecting);
    (void)snprintf(stream->given, sizeof stream->given, "%s", name);
    atomic_store(&stream->is_named, true);
    wrapper_lock_give(&stream->collecting);
}
