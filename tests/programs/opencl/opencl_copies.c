/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels and copies of all directions, by OpenCL: opencl_copies order | overlap. They are in one
 * queue, or kernels in one and copies in another one, at the same time. What the device did is by
 * its own events, in the file of ../device_truth.h.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../device_truth.h"
#include "opencl_setup.h"
#include "opencl_times.h"

enum { BYTES = 16 << 20, ROUNDS = 4, WARM = 8, ITEMS = 1, WORKS = 64, PAUSE_US = 3000 };
/* As tests/cases/device_report.py knows them. */
enum { A_KERNEL, TO_DEVICE, TO_HOST, ON_DEVICE, A_FILL };

static const char source[] = "kernel void spin(global int *a) {"
                             " for (int i = 0; i < 6000000; i++) a[0] = a[0] * 5 + 1; }";

static struct given {
    cl_event event;
    struct truth truth;
} works[WORKS];
static unsigned n;

/* The next one, which is given now. */
static cl_event *next(int kind, const char *name, size_t bytes)
{
    works[n].truth =
        (struct truth){.kind = kind, .bytes = bytes, .name = name, .given = ns_of(CLOCK_MONOTONIC)};
    return &works[n++].event;
}

static void give_kernel(cl_command_queue queue, cl_kernel kernel)
{
    const size_t items = ITEMS;
    cl_event *event = next(A_KERNEL, "spin", 0);
    works[n - 1].truth.items = ITEMS;
    CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, event));
}

static void give_copies(cl_command_queue queue, cl_mem a, cl_mem b, void *host)
{
    const cl_int zero = 0;
    CHECK(clEnqueueWriteBuffer(queue, a, CL_FALSE, 0, BYTES, host, 0, NULL,
                               next(TO_DEVICE, "write buffer", BYTES)));
    CHECK(clEnqueueCopyBuffer(queue, a, b, 0, 0, BYTES / 2, 0, NULL,
                              next(ON_DEVICE, "copy buffer", BYTES / 2)));
    CHECK(clEnqueueFillBuffer(queue, b, &zero, sizeof zero, 0, BYTES / 4, 0, NULL,
                              next(A_FILL, "fill buffer", BYTES / 4)));
    CHECK(clEnqueueReadBuffer(queue, b, CL_FALSE, 0, BYTES, host, 0, NULL,
                              next(TO_HOST, "read buffer", BYTES)));
}

static void tell(void)
{
    const int64_t later = ahead();
    for (unsigned i = 0; i < n; i++) {
        const struct span span = span_of(works[i].event, later);
        works[i].truth.begin = span.begin;
        works[i].truth.end = span.end;
        tell_truth(&works[i].truth);
        CHECK(clReleaseEvent(works[i].event));
    }
}

int main(int argc, char **argv)
{
    void *host = calloc(1, BYTES);
    const cl_command_queue_properties timed = CL_QUEUE_PROFILING_ENABLE;
    set_up(source);
    cl_command_queue kernels = queue_of(timed), copies = kernels;
    cl_mem a = buffer_of(BYTES), b = buffer_of(BYTES);
    cl_kernel kernel = kernel_of("spin", buffer_of(ITEMS * sizeof(cl_int)));
    if (argc > 1 && strcmp(argv[1], "overlap") == 0)
        copies = queue_of(timed);
    /* Short calls tell of the device's clock; the first one is long, and a kernel is compiled. */
    for (int i = 0; i < WARM; i++)
        CHECK(clEnqueueWriteBuffer(kernels, a, CL_FALSE, 0, 1, host, 0, NULL,
                                   next(TO_DEVICE, "write buffer", 1)));
    CHECK(clFinish(kernels));
    for (int i = 0; i < ROUNDS; i++) {
        give_kernel(kernels, kernel);
        CHECK(clFlush(kernels));
        give_copies(copies, a, b, host);
        CHECK(clFlush(copies));
        CHECK(clFinish(kernels));
        CHECK(clFinish(copies));
        usleep(PAUSE_US);
    }
    tell();
    free(host);
    return 0;
}
