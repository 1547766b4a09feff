/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs do with the driver of fake_cuda.h, and count as ../device_given.h does. */
#ifndef TESTS_CUDA_GIVEN_H
#define TESTS_CUDA_GIVEN_H

#include <pthread.h>
#include <stdlib.h>

#include "../device_given.h"
#include "fake_cuda.h"

enum { ROUNDS = 50, THREADS = 4, LONG_US = 5000000 };

static CUcontext start(int device)
{
    CUcontext context;
    if (cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, device) != 0)
        exit(2);
    return context;
}

static void kernel(CUstream stream, unsigned us, const char *name)
{
    if (fake_launch(16, 256, 1024, stream, us, name) != 0)
        exit(2);
    count(KERNEL, name, 1, 0);
}

/* Threads that do this work at once. */
static void work_at_once(void *(*work)(void *context))
{
    pthread_t thread[THREADS];
    CUcontext context = start(0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, work, context);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

#endif
