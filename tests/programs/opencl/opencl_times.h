/* SPDX-License-Identifier: BSD-3-Clause */
/* When the device has done a work, by its event, in ns of CLOCK_MONOTONIC. */
#ifndef TESTS_OPENCL_TIMES_H
#define TESTS_OPENCL_TIMES_H

#include <stdint.h>
#include <time.h>

#include "opencl_setup.h"

static uint64_t ns_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * pocl's clock is CLOCK_MONOTONIC_RAW; how far it is from the other one, now. The shortest of some
 * readings: others may run in between.
 */
static int64_t ahead(void)
{
    enum { READINGS = 50 };
    uint64_t shortest = UINT64_MAX;
    int64_t found = 0;
    for (int i = 0; i < READINGS; i++) {
        const uint64_t before = ns_of(CLOCK_MONOTONIC), raw = ns_of(CLOCK_MONOTONIC_RAW);
        const uint64_t took = ns_of(CLOCK_MONOTONIC) - before;
        if (took < shortest)
            found = (int64_t)(before + took / 2 - raw);
        shortest = took < shortest ? took : shortest;
    }
    return found;
}

struct span {
    uint64_t begin, end;
};

static struct span span_of(cl_event event, int64_t later)
{
    cl_ulong from, to;
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL));
    CHECK(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL));
    return (struct span){from + (uint64_t)later, to + (uint64_t)later};
}

#endif
