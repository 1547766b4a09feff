/* SPDX-License-Identifier: BSD-3-Clause */
/* The story of ../device_story.h by CUDA; what the device did its driver writes down. */
#include "../device_story.h"
#include "fake_cuda.h"

enum { MS = 1000 };

static CUcontext own, other;

static void begin(void)
{
    CHECK(cuInit(0));
    CHECK(cuCtxCreate_v2(&other, 0, 1));
    CHECK(cuCtxCreate_v2(&own, 0, 0));
}

static void give_for(const char *device, unsigned us, const char *name)
{
    void *function = NULL, *parameters[] = {&us};
    CALL("call calls", cuModuleGetFunction(&function, NULL, name));
    CALL(device, cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
}

static void give(const char *name)
{
    give_for("gave 0", STORY_WORK_US, name);
}

static void finish(void)
{
    CALL("call waiting", cuStreamSynchronize(NULL));
}

static void give_late(const char *name)
{
    fake_pause(NULL, STORY_LATE_MS * MS);
    give(name);
}

static void wait_elsewhere(void)
{
    CALL("call calls", cuCtxSetCurrent(other));
    give_for("gave 1", STORY_WAIT_MS * MS, "elsewhere");
    CALL("call waiting", cuStreamSynchronize(NULL));
    CALL("call calls", cuCtxSetCurrent(own));
}

/* A context ends when its work is done. */
static void call_else(void)
{
    CUcontext short_lived;
    CALL("call calls", cuCtxCreate_v2(&short_lived, 0, 1));
    give_for("gave 2", STORY_CALLS_MS * MS, "short_lived");
    CALL("call calls", cuCtxDestroy_v2(short_lived));
    CALL("call calls", cuCtxSetCurrent(own));
}

static void give_long(void)
{
    give_for("gave 0", STORY_LONG_MS * MS, "long");
}

static int is_busy(void)
{
    enum { BUSY = 600 };
    return cuStreamQuery(NULL) == BUSY;
}

int main(int argc, char **argv)
{
    return story(argc, argv, NULL);
}
