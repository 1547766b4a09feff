/* SPDX-License-Identifier: BSD-3-Clause */
/* The story of ../device_story.h by Level Zero; what the device did its driver writes down. */
#include <string.h>

#include <level_zero/ze_api.h>

#include "../device_story.h"

enum { DEVICES = 2, EVENTS = 256 };

static ze_context_handle_t context;
static ze_module_handle_t module;
static ze_event_pool_handle_t pool;
static ze_command_list_handle_t list[DEVICES];
static ze_event_handle_t last; /* of what was given */

static void begin(void)
{
    uint32_t n = 1, n_devices = DEVICES;
    ze_driver_handle_t driver;
    ze_device_handle_t devices[DEVICES];
    ze_context_desc_t how = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t source = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC};
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_event_pool_desc_t events = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                   .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                   .count = EVENTS};
    CALL("call calls", zeInit(0));
    CALL("call calls", zeDriverGet(&n, &driver));
    CALL("call calls", zeDeviceGet(driver, &n_devices, devices));
    CALL("call calls", zeContextCreate(driver, &how, &context));
    CALL("call calls", zeModuleCreate(context, devices[0], &source, &module, NULL));
    CALL("call calls", zeEventPoolCreate(context, &events, 0, NULL, &pool));
    for (int i = 0; i < DEVICES; i++)
        CALL("call calls", zeCommandListCreateImmediate(context, devices[i], &queue, &list[i]));
}

/* So long on that device, behind the last one if `is_behind`. The name says how long. */
static void give_for(int device, unsigned us, const char *name, int is_behind)
{
    static const ze_group_count_t groups = {1, 1, 1};
    static uint32_t index;
    char text[64];
    ze_kernel_desc_t how = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = text};
    ze_event_desc_t what = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index++};
    ze_event_handle_t before = last;
    ze_kernel_handle_t kernel;
    snprintf(text, sizeof text, "%s_%uus", name, us);
    CALL("call calls", zeKernelCreate(module, &how, &kernel));
    CALL("call calls", zeEventCreate(pool, &what, &last));
    CALL(device ? "gave 1" : "gave 0",
         zeCommandListAppendLaunchKernel(list[device], kernel, &groups, last, is_behind,
                                         is_behind ? &before : NULL));
    CALL("call calls", zeKernelDestroy(kernel));
}

static void give(const char *name)
{
    give_for(0, STORY_WORK_US, name, 0);
}

static void finish(void)
{
    CALL("call waiting", zeEventHostSynchronize(last, UINT64_MAX));
}

static void give_late(const char *name)
{
    give_for(1, STORY_LATE_MS * 1000, "before", 0);
    give_for(0, STORY_WORK_US, name, 1);
}

static void wait_elsewhere(void)
{
    give_for(1, STORY_WAIT_MS * 1000, "elsewhere", 0);
    finish();
}

/* No call of Level Zero takes so long, but for those that wait. */
static void call_else(void)
{
}

static void give_long(void)
{
    give_for(0, STORY_LONG_MS * 1000, "long", 0);
}

static int is_busy(void)
{
    return zeEventQueryStatus(last) == ZE_RESULT_NOT_READY;
}

int main(int argc, char **argv)
{
    return story(argc, argv, NULL);
}
