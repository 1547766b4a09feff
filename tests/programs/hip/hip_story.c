/* SPDX-License-Identifier: BSD-3-Clause */
/* The story of ../device_story.h by HIP; what the device did its runtime writes down. */
#include "../device_story.h"
#include "fake_hip.h"

enum { MS = 1000 };

static void begin(void)
{
    CHECK(hipInit(0));
}

static void give_for(const char *device, unsigned us, const char *name)
{
    CALL(device, hipLaunchKernel(4, 64, 0, NULL, us, name));
}

static void give(const char *name)
{
    give_for("gave 0", STORY_WORK_US, name);
}

static void finish(void)
{
    CALL("call waiting", hipStreamSynchronize(NULL));
}

static void give_late(const char *name)
{
    fake_pause(NULL, STORY_LATE_MS * MS);
    give(name);
}

static void wait_elsewhere(void)
{
    CALL("call calls", hipSetDevice(1));
    give_for("gave 1", STORY_WAIT_MS * MS, "elsewhere");
    CALL("call waiting", hipDeviceSynchronize());
    CALL("call calls", hipSetDevice(0));
}

/* A copy that blocks until what was given before is done. */
static void call_else(void)
{
    CALL("call calls", hipSetDevice(1));
    give_for("gave 1", STORY_CALLS_MS * MS, "elsewhere");
    CALL("gave 1", hipMemcpy(2, MS));
    CALL("call calls", hipSetDevice(0));
}

static void give_long(void)
{
    give_for("gave 0", STORY_LONG_MS * MS, "long");
}

static int is_busy(void)
{
    enum { BUSY = 600 };
    return hipStreamQuery(NULL) == BUSY;
}

int main(int argc, char **argv)
{
    return story(argc, argv, NULL);
}
