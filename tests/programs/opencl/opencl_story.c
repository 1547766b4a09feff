/* SPDX-License-Identifier: BSD-3-Clause */
/* The story of ../device_story.h by OpenCL; what the device did is by its own events. */
#define CL_TARGET_OPENCL_VERSION 120
#include <pthread.h>

#include "../device_story.h"
#include "opencl_setup.h"
#include "opencl_times.h"

enum { SPINS = 400000, WORKS = 64 };

static const char source[] =
    "void spin(global int *a, int n) { for (int i = 0; i < n; i++) a[0] = a[0] * 5 + 1; }\n"
    "kernel void work(global int *a, int n) { spin(a, n); }\n"
    "kernel void late(global int *a, int n) { spin(a, n); }\n";

static cl_command_queue queue;
static cl_mem memory;
static cl_event events[WORKS];
static unsigned n_events;

static void begin(void)
{
    set_up(source);
    queue = queue_of(CL_QUEUE_PROFILING_ENABLE);
    memory = buffer_of(sizeof(cl_int));
}

static void give_behind(const char *name, cl_event gate)
{
    const cl_int spins = SPINS;
    const size_t one = 1;
    cl_kernel kernel;
    STORY_CALL("call calls", kernel = clCreateKernel(program, name, NULL));
    CALL("call calls", clSetKernelArg(kernel, 0, sizeof memory, &memory));
    CALL("call calls", clSetKernelArg(kernel, 1, sizeof spins, &spins));
    CALL("gave 0", clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, gate != NULL,
                                          gate ? &gate : NULL, &events[n_events++]));
    CALL("call calls", clReleaseKernel(kernel));
}

static void give(const char *name)
{
    give_behind(name, NULL);
}

static void finish(void)
{
    CALL("call waiting", clFinish(queue));
}

/* ---- what somebody else does ---- */

static unsigned opens_ms;

static void *open_later(void *gate)
{
    story_sleep(opens_ms);
    CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
    return NULL;
}

/* An event that comes then. */
static cl_event gate_in(unsigned ms, pthread_t *thread)
{
    cl_int code;
    cl_event gate;
    STORY_CALL("call calls", gate = clCreateUserEvent(context, &code));
    CHECK(code);
    opens_ms = ms;
    pthread_create(thread, NULL, open_later, gate);
    return gate;
}

static void give_late(const char *name)
{
    pthread_t thread;
    cl_event gate = gate_in(STORY_LATE_MS, &thread);
    give_behind(name, gate);
    pthread_join(thread, NULL);
    CALL("call calls", clReleaseEvent(gate));
}

static pthread_t opener;

static void give_long(void)
{
    give_behind("work", gate_in(STORY_LONG_MS, &opener));
}

static int is_busy(void)
{
    cl_int status;
    CHECK(
        clGetEventInfo(events[0], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status > CL_COMPLETE;
}

static void wait_elsewhere(void)
{
    pthread_t thread;
    cl_event gate = gate_in(STORY_WAIT_MS, &thread);
    CALL("call waiting", clWaitForEvents(1, &gate));
    pthread_join(thread, NULL);
    CALL("call calls", clReleaseEvent(gate));
}

static void CL_CALLBACK take_time(cl_mem gone, void *unused)
{
    (void)gone, (void)unused;
    story_sleep(STORY_CALLS_MS);
}

/* The end of a buffer calls the program. */
static void call_else(void)
{
    cl_mem buffer;
    STORY_CALL("call calls", buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 1, NULL, NULL));
    CALL("call calls", clSetMemObjectDestructorCallback(buffer, take_time, NULL));
    CALL("call calls", clReleaseMemObject(buffer));
}

static void tell_works(void)
{
    const int64_t later = ahead();
    for (unsigned i = 0; i < n_events; i++) {
        const struct span work = span_of(events[i], later);
        story_line("work 0", work.begin, work.end);
        CHECK(clReleaseEvent(events[i]));
    }
}

int main(int argc, char **argv)
{
    return story(argc, argv, tell_works);
}
