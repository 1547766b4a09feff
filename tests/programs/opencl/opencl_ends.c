/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives FIRST kernels, waits for them, gives SECOND more and ends while they are under way:
 * opencl_ends HOW. With `events` the second ones wait for an event that nobody completes; with
 * `threads` another thread goes on giving kernels.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl_setup.h"

enum { FIRST = 20, SECOND = 30, ITEMS = 64, TURNS = 20000 };

static cl_kernel kernel;

static void start(void)
{
    static const char *source = "kernel void spin(global uint *x, uint turns) {"
                                "  uint v = x[get_global_id(0)];"
                                "  for (uint i = 0; i < turns; i++) v = v * 1664525u + 1013904223u;"
                                "  x[get_global_id(0)] = v; }";
    const cl_uint turns = TURNS;
    set_up(source);
    kernel = kernel_of("spin", buffer_of(ITEMS * sizeof(cl_uint)));
    CHECK(clSetKernelArg(kernel, 1, sizeof turns, &turns));
}

static void give(cl_command_queue queue, int n, cl_event after)
{
    const size_t items = ITEMS;
    for (int i = 0; i < n; i++)
        CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, after != NULL,
                                     after ? &after : NULL, NULL));
    CHECK(clFlush(queue));
}

static atomic_int given_by_thread;

static void *go_on(void *queue)
{
    while (given_by_thread >= 0) {
        give(queue, 1, NULL);
        given_by_thread++;
    }
    return queue;
}

static void start_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, go_on, queue_of(0));
    while (given_by_thread < FIRST)
        usleep(1000);
}

static void end(const char *how)
{
    fflush(stdout);
    if (strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (strcmp(how, "abort") == 0)
        abort();
    if (strcmp(how, "term") == 0)
        raise(SIGTERM);
    if (strcmp(how, "_exit") == 0)
        _exit(3);
    exit(4);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "exit";
    cl_event event = NULL;
    cl_int code = CL_SUCCESS;
    start();
    cl_command_queue queue = queue_of(0);
    give(queue, FIRST, NULL);
    CHECK(clFinish(queue));
    if (strcmp(how, "threads") == 0)
        start_thread();
    if (strcmp(how, "events") == 0)
        event = clCreateUserEvent(context, &code);
    CHECK(code);
    give(queue, SECOND, event);
    printf("%d kernels are done, %d are given\n", FIRST, SECOND);
    end(how);
}
