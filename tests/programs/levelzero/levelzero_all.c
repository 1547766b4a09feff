/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives work to the devices of fake_driver.c in every way, and prints the given work:
 * `way how-often bytes name`, as read by tests/lib/device_work.py. With BY_NAME the program opens
 * the loader, and looks its functions up by name.
 *
 *   immediate  all kinds of work, on an immediate list, with and without events of the program's
 *   lists      lists of commands, each handed over several times
 *   replay     a list is handed over again while still at work: all runs but the last are
 *              lost
 *   shared     an event that may be shared between processes: nothing tells of its work
 *   reset      events that are reset and destroyed at once after their signal
 *   threads    threads with a list each
 *   devices    two devices, and the parts of a device
 *   memory     memory of all kinds is taken and given back, also while recording is paused; prints
 *              the held memory of a device, and the peaks, of device and shared memory
 *   fork       a child uses Level Zero; the parent uses Level Zero afterwards, but not before
 *   exit       exit() without waiting: the last kernel takes long
 *   _exit      the same by _exit(), after waiting
 *   killed     the same by SIGKILL
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <level_zero/ze_api.h>
#include <spur/spur.h>

#include "../device_given.h"

#ifdef BY_NAME
#include "by_name.h"
#endif

enum { ROUNDS = 20, BYTES = 4096, GROUPS = 8, ITEMS = 32, THREADS = 4, IN_ORDER = 2 };

static void count_each(enum way way, const char *name, unsigned n, size_t bytes)
{
    count(way, name, n, n * bytes);
}

#define DO(call)                                                                                   \
    do {                                                                                           \
        ze_result_t result_ = (call);                                                              \
        if (result_ != ZE_RESULT_SUCCESS) {                                                        \
            printf("line %d: %x\n", __LINE__, (unsigned)result_);                                  \
            fflush(stdout);                                                                        \
            _exit(2);                                                                              \
        }                                                                                          \
    } while (0)

/* ---- objects ---- */

static ze_driver_handle_t driver;
static ze_device_handle_t devices[2];
static ze_context_handle_t context;
static ze_module_handle_t module;

static void begin(void)
{
    uint32_t n = 1, n_devices = 2;
    ze_context_desc_t how = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    ze_module_desc_t source = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC};
    DO(zeInit(0));
    DO(zeDriverGet(&n, &driver));
    DO(zeDeviceGet(driver, &n_devices, devices));
    DO(zeContextCreate(driver, &how, &context));
    DO(zeModuleCreate(context, devices[0], &source, &module, NULL));
}

static void end(void)
{
    DO(zeModuleDestroy(module));
    DO(zeContextDestroy(context));
}

static ze_command_list_handle_t new_immediate(ze_device_handle_t device, uint32_t flags)
{
    ze_command_queue_desc_t how = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, .flags = flags};
    ze_command_list_handle_t list;
    DO(zeCommandListCreateImmediate(context, device, &how, &list));
    return list;
}

static ze_event_pool_handle_t new_pool(uint32_t flags, uint32_t n)
{
    ze_event_pool_desc_t how = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                .flags = flags,
                                .count = n};
    ze_event_pool_handle_t pool;
    DO(zeEventPoolCreate(context, &how, 0, NULL, &pool));
    return pool;
}

static ze_event_handle_t new_event(ze_event_pool_handle_t pool, uint32_t index)
{
    ze_event_desc_t how = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = index};
    ze_event_handle_t event;
    DO(zeEventCreate(pool, &how, &event));
    return event;
}

static ze_kernel_handle_t new_kernel(const char *name)
{
    ze_kernel_desc_t how = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    DO(zeKernelCreate(module, &how, &kernel));
    DO(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    return kernel;
}

static void *memory(ze_memory_type_t type)
{
    ze_device_mem_alloc_desc_t how = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *at = NULL;
    if (type == ZE_MEMORY_TYPE_DEVICE)
        DO(zeMemAllocDevice(context, &how, BYTES, 64, devices[0], &at));
    else if (type == ZE_MEMORY_TYPE_SHARED)
        DO(zeMemAllocShared(context, &how, &host, BYTES, 64, devices[0], &at));
    else
        DO(zeMemAllocHost(context, &host, BYTES, 64, &at));
    return at;
}

static const ze_group_count_t groups = {GROUPS, 1, 1};

static void launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                   ze_event_handle_t event)
{
    DO(zeCommandListAppendLaunchKernel(list, kernel, &groups, event, 0, NULL));
}

static void barrier(ze_command_list_handle_t list)
{
    DO(zeCommandListAppendBarrier(list, NULL, 0, NULL));
}

/* Waits for all work of an immediate list. */
static void finish(ze_command_list_handle_t list)
{
    ze_event_pool_handle_t pool = new_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_handle_t event = new_event(pool, 0);
    DO(zeCommandListAppendBarrier(list, event, 0, NULL));
    DO(zeEventHostSynchronize(event, UINT64_MAX));
    DO(zeEventDestroy(event));
    DO(zeEventPoolDestroy(pool));
}

/* ---- all kinds of work ---- */

/* Copies are made for true: the copied bytes are compared. */
static void copies(ze_command_list_handle_t list, unsigned runs)
{
    static char pageable[BYTES], back[BYTES];
    void *device = memory(ZE_MEMORY_TYPE_DEVICE), *host = memory(ZE_MEMORY_TYPE_HOST);
    void *shared = memory(ZE_MEMORY_TYPE_SHARED);
    const ze_copy_region_t region = {.width = 64, .height = 4};
    memset(pageable, 'x', sizeof pageable);
    DO(zeCommandListAppendMemoryCopy(list, device, pageable, BYTES, NULL, 0, NULL));
    count_each(GET, "copy to device (pageable)", runs, BYTES);
    barrier(list);
    DO(zeCommandListAppendMemoryCopy(list, host, device, BYTES, NULL, 0, NULL));
    count_each(PUT, "copy to host", runs, BYTES);
    barrier(list);
    DO(zeCommandListAppendMemoryCopy(list, shared, device, BYTES / 2, NULL, 0, NULL));
    DO(zeCommandListAppendMemoryCopyFromContext(list, device, context, shared, BYTES / 2, NULL, 0,
                                                NULL));
    count_each(PUT, "copy on device", 2 * runs, BYTES / 2);
    barrier(list);
    DO(zeCommandListAppendMemoryCopy(list, back, host, BYTES, NULL, 0, NULL));
    count_each(FILL, "copy on host", runs, BYTES);
    DO(zeCommandListAppendMemoryCopyRegion(list, device, &region, 64, 0, host, &region, 64, 0, NULL,
                                           0, NULL));
    count_each(GET, "copy to device", runs, 256);
    DO(zeCommandListAppendMemoryFill(list, shared, "", 1, BYTES, NULL, 0, NULL));
    count_each(FILL, "fill", runs, BYTES);
}

static void images(ze_command_list_handle_t list)
{
    ze_image_desc_t how = {.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
                           .type = ZE_IMAGE_TYPE_2D,
                           .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8},
                           .width = 16,
                           .height = 8};
    const ze_image_region_t region = {.width = 4, .height = 2, .depth = 1};
    ze_image_handle_t image;
    static char pixels[BYTES];
    DO(zeImageCreate(context, devices[0], &how, &image));
    DO(zeCommandListAppendImageCopy(list, image, image, NULL, 0, NULL));
    count_each(PUT, "copy image", 1, 16 * 8 * 4);
    DO(zeCommandListAppendImageCopyToMemory(list, pixels, image, NULL, NULL, 0, NULL));
    count_each(PUT, "copy to host (pageable)", 1, 16 * 8 * 4);
    DO(zeCommandListAppendImageCopyFromMemory(list, image, pixels, &region, NULL, 0, NULL));
    count_each(GET, "copy to device (pageable)", 1, 4 * 2 * 4);
    DO(zeImageDestroy(image));
}

static const char long_name[] = "_Z9very_longIXadL_Z1aEEXadL_Z1bEEEvv"
                                "_of_a_kernel_whose_name_is_longer_than_a_buffer_on_a_stack_may_be_"
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
    HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED;

/* Events with and without times, events invisible to the host, and no event. */
static void immediate(void)
{
    static const uint32_t flags[] = {0, ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                     ZE_EVENT_POOL_FLAG_HOST_VISIBLE |
                                         ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP};
    ze_command_list_handle_t list = new_immediate(devices[0], 0);
    ze_command_list_handle_t ordered = new_immediate(devices[0], IN_ORDER);
    ze_kernel_handle_t kernel = new_kernel("saxpy"), slow = new_kernel("slow_5000us");
    ze_kernel_handle_t named = new_kernel(long_name);
    const ze_group_count_t none = {0, 1, 1};
    for (unsigned i = 0; i < 3; i++) {
        ze_event_pool_handle_t pool = new_pool(flags[i], ROUNDS);
        ze_event_handle_t event[ROUNDS];
        for (unsigned r = 0; r < ROUNDS; r++) {
            event[r] = new_event(pool, r);
            launch(list, kernel, event[r]);
            launch(ordered, kernel, NULL);
        }
        finish(list);
        for (unsigned r = 0; r < ROUNDS; r++)
            DO(zeEventDestroy(event[r]));
        DO(zeEventPoolDestroy(pool));
    }
    count_each(KERNEL, "saxpy", 6 * ROUNDS, 0);
    launch(ordered, slow, NULL);
    launch(ordered, slow, NULL);
    count_each(KERNEL, "slow_5000us", 2, 0);
    launch(ordered, named, NULL);
    count_each(KERNEL, long_name, 1, 0);
    if (zeCommandListAppendLaunchKernel(list, kernel, &none, NULL, 0, NULL) == ZE_RESULT_SUCCESS)
        exit(3);
    copies(list, 1);
    images(list);
    finish(list);
    finish(ordered);
    DO(zeKernelDestroy(kernel));
    DO(zeKernelDestroy(slow));
    DO(zeKernelDestroy(named));
    DO(zeCommandListDestroy(list));
    DO(zeCommandListDestroy(ordered));
}

/* ---- lists ---- */

static ze_command_queue_handle_t new_queue(void)
{
    ze_command_queue_desc_t how = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC};
    ze_command_queue_handle_t queue;
    DO(zeCommandQueueCreate(context, devices[0], &how, &queue));
    return queue;
}

static ze_command_list_handle_t new_list(void)
{
    ze_command_list_desc_t how = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    DO(zeCommandListCreate(context, devices[0], &how, &list));
    return list;
}

static void lists(void)
{
    ze_command_queue_handle_t queue = new_queue();
    ze_command_list_handle_t list[2] = {new_list(), new_list()};
    ze_kernel_handle_t kernel = new_kernel("in_a_list");
    ze_event_pool_handle_t pool = new_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1);
    ze_event_handle_t event = new_event(pool, 0);
    ze_fence_desc_t how = {.stype = ZE_STRUCTURE_TYPE_FENCE_DESC};
    ze_fence_handle_t fence;
    DO(zeFenceCreate(queue, &how, &fence));
    for (unsigned round = 0; round < 3; round++) {
        launch(list[0], kernel, NULL);
        launch(list[0], kernel, event);
        DO(zeCommandListClose(list[0]));
        copies(list[1], 2);
        DO(zeCommandListClose(list[1]));
        for (unsigned i = 0; i < 2; i++) {
            DO(zeCommandQueueExecuteCommandLists(queue, 2, list, i ? fence : NULL));
            if (i) {
                DO(zeFenceHostSynchronize(fence, UINT64_MAX));
                DO(zeFenceReset(fence));
            } else {
                DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
            }
            if (round == 0) /* in later rounds the event stays signalled */
                DO(zeEventHostReset(event));
        }
        count_each(KERNEL, "in_a_list", 4, 0);
        DO(zeCommandListReset(list[0]));
        DO(zeCommandListReset(list[1]));
    }
    DO(zeFenceDestroy(fence));
    DO(zeEventDestroy(event));
    DO(zeEventPoolDestroy(pool));
    DO(zeCommandListDestroy(list[0]));
    DO(zeCommandListDestroy(list[1]));
    DO(zeKernelDestroy(kernel));
    DO(zeCommandQueueDestroy(queue));
}

static void replay(void)
{
    ze_command_queue_handle_t queue = new_queue();
    ze_command_list_handle_t list = new_list();
    ze_kernel_handle_t kernel = new_kernel("again_5000us");
    launch(list, kernel, NULL);
    DO(zeCommandListClose(list));
    for (unsigned i = 0; i < ROUNDS; i++)
        DO(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    DO(zeCommandQueueSynchronize(queue, UINT64_MAX));
    count_each(KERNEL, "again_5000us", ROUNDS, 0);
    DO(zeCommandListDestroy(list));
    DO(zeKernelDestroy(kernel));
    DO(zeCommandQueueDestroy(queue));
}

/* ---- events ---- */

static void shared(void)
{
    ze_command_list_handle_t list = new_immediate(devices[0], 0);
    ze_kernel_handle_t kernel = new_kernel("untold");
    ze_event_pool_handle_t pool =
        new_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_IPC, 1);
    ze_event_handle_t event = new_event(pool, 0);
    launch(list, kernel, event);
    DO(zeEventHostSynchronize(event, UINT64_MAX));
    count_each(KERNEL, "untold", 1, 0);
    DO(zeEventDestroy(event));
    DO(zeEventPoolDestroy(pool));
    DO(zeKernelDestroy(kernel));
    DO(zeCommandListDestroy(list));
}

static void reset(void)
{
    ze_command_list_handle_t list = new_immediate(devices[0], 0);
    ze_kernel_handle_t kernel = new_kernel("_ZTSZ4mainEUlvE_");
    ze_event_pool_handle_t pool = new_pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
    ze_event_handle_t event = new_event(pool, 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        launch(list, kernel, event);
        while (zeEventQueryStatus(event) != ZE_RESULT_SUCCESS)
            ;
        if (i % 2) {
            DO(zeEventHostReset(event));
        } else {
            DO(zeEventDestroy(event));
            event = new_event(pool, 0);
        }
    }
    count_each(KERNEL, "main::{lambda()#1}", ROUNDS, 0); /* the name by SYCL */
    DO(zeEventDestroy(event));
    DO(zeEventPoolDestroy(pool));
    DO(zeKernelDestroy(kernel));
    DO(zeCommandListDestroy(list));
}

/* ---- threads, devices, processes ---- */

static void *thread(void *unused)
{
    ze_command_list_handle_t list = new_immediate(devices[0], 0);
    ze_kernel_handle_t kernel = new_kernel("of_threads");
    (void)unused;
    for (unsigned i = 0; i < 5 * ROUNDS; i++)
        launch(list, kernel, NULL);
    count_each(KERNEL, "of_threads", 5 * ROUNDS, 0);
    finish(list);
    DO(zeKernelDestroy(kernel));
    DO(zeCommandListDestroy(list));
    return NULL;
}

static void threads(void)
{
    pthread_t id[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&id[i], NULL, thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(id[i], NULL);
}

static void some(ze_device_handle_t device, const char *name)
{
    ze_command_list_handle_t list = new_immediate(device, 0);
    ze_kernel_handle_t kernel = new_kernel(name);
    launch(list, kernel, NULL);
    count_each(KERNEL, name, 1, 0);
    finish(list);
    DO(zeKernelDestroy(kernel));
    DO(zeCommandListDestroy(list));
}

static void on_devices(void)
{
    uint32_t n = 2;
    ze_device_handle_t parts[2];
    DO(zeDeviceGetSubDevices(devices[1], &n, parts));
    some(devices[0], "on_first");
    some(devices[1], "on_second");
    some(parts[0], "on_part");
    some(parts[1], "on_part");
}

#include "held_memory.h"

static void forked(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        begin();
        some(devices[0], "of_child");
        end();
        print();
        exit(0);
    }
    waitpid(child, &status, 0);
    if (status)
        exit(3);
    begin();
    some(devices[0], "of_parent");
}

static void leave(const char *how)
{
    ze_command_list_handle_t list = new_immediate(devices[0], 0);
    ze_kernel_handle_t kernel = new_kernel("done"), endless = new_kernel("endless_60000000us");
    for (unsigned i = 0; i < ROUNDS; i++)
        launch(list, kernel, NULL);
    count_each(KERNEL, "done", ROUNDS, 0);
    finish(list);
    launch(list, endless, NULL);
    print();
    if (!strcmp(how, "_exit"))
        _exit(0);
    if (!strcmp(how, "killed"))
        kill(getpid(), SIGKILL);
    exit(0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"immediate", immediate}, {"lists", lists}, {"replay", replay},
                 {"shared", shared},       {"reset", reset}, {"threads", threads},
                 {"devices", on_devices},  {"fork", forked}, {"memory", hold}};
    const char *mode = argc > 1 ? argv[1] : "immediate";
#ifdef BY_NAME
    find_functions();
#endif
    if (strcmp(mode, "fork") != 0)
        begin();
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        if (strcmp(mode, modes[i].name) == 0) {
            modes[i].run();
            end();
            print();
            return 0;
        }
    }
    leave(mode);
    return 1;
}
