/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the tests' own driver share. */
#ifndef FAKE_DRIVER_H
#define FAKE_DRIVER_H

#include <stdatomic.h>

#include "fake_cuda.h"

struct fake_context {
    uint32_t id, device, streams;
    _Atomic uint64_t free_at;
    struct fake_stream *first;
};

struct fake_stream {
    struct fake_context *context;
    uint32_t id;
    _Atomic uint64_t free_at;   /* when all that was given to it is done */
    struct fake_graph *capture; /* NULL: it is not captured */
};

/* A handle of the first stream. */
#define FAKE_PER_THREAD ((CUstream)2)

extern _Thread_local CUcontext fake_current;
CUstream fake_stream_or_first(CUstream stream);
uint64_t fake_now_ns(void);
void fake_wait_until(uint64_t ns);
/* What is given lasts so long, behind what the stream has to do before. */
void fake_give(CUstream stream, struct fake_work *work, uint32_t correlation, uint64_t ns);
/* Kind of memory; 0: the driver knows nothing of that address. */
int fake_memory_kind(uint64_t address);
/* Its events are gone as well. */
void fake_context_gone(CUcontext context);

#endif
