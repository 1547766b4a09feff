/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels that are given to a device, for bench/gates: the second call of rounds() counts. The
 * driver is empty_opencl.c.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <stdlib.h>

#include "bench/opencl_start.h"

enum { ROW = 64 };

static struct opencl cl;

__attribute__((noinline)) static void rounds(int n)
{
    const size_t one = 1;
    for (int i = 1; i <= n; i++) {
        clEnqueueNDRangeKernel(cl.queue, cl.kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
        if (i % ROW == 0)
            clFinish(cl.queue);
    }
}

__attribute__((noinline)) static void counted(int n)
{
    rounds(n);
    __asm__ volatile("" ::: "memory"); /* no tail call: what is toggled has to return */
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    if (opencl_start(&cl))
        return 1;
    rounds(n);
    counted(n);
    return 0;
}
