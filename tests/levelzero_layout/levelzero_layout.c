/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the tables of wrappers/levelzero say what Level Zero's headers say? */
#include <stddef.h>
#include <stdint.h>

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include "tests/cuda_layout/same.h"
#include "wrappers/levelzero/levelzero_api.h"

/* A header of an older version than a row of the table has no such function. */
enum { MINOR = ZE_API_VERSION_CURRENT & 0xffff };

#define TABLE_Global ze_global_dditable_t
#define TABLE_Driver ze_driver_dditable_t
#define TABLE_Device ze_device_dditable_t
#define TABLE_Context ze_context_dditable_t
#define TABLE_CommandQueue ze_command_queue_dditable_t
#define TABLE_CommandList ze_command_list_dditable_t
#define TABLE_CommandListExp ze_command_list_exp_dditable_t
#define TABLE_Event ze_event_dditable_t
#define TABLE_EventPool ze_event_pool_dditable_t
#define TABLE_Fence ze_fence_dditable_t
#define TABLE_Image ze_image_dditable_t
#define TABLE_Kernel ze_kernel_dditable_t
#define TABLE_Mem ze_mem_dditable_t
#define TABLE_Module ze_module_dditable_t

#define PLACE(Table, Field, place)                                                                 \
    same(#Table "." #Field, offsetof(TABLE_##Table, pfn##Field) / sizeof(void *), place);
/* By the version from which on it is there. */
#define SINCE_0(Table, Field, place) PLACE(Table, Field, place)
#define SINCE_1(Table, Field, place) PLACE(Table, Field, place)
#define SINCE_3(Table, Field, place) PLACE(Table, Field, place)
#if defined ZE_API_VERSION_CURRENT_M && ZE_API_VERSION_CURRENT_M >= ZE_MAKE_VERSION(1, 10)
#define SINCE_9(Table, Field, place) PLACE(Table, Field, place)
#define SINCE_10(Table, Field, place) PLACE(Table, Field, place)
#else /* older headers have no such macro */
#define SINCE_9(Table, Field, place)
#define SINCE_10(Table, Field, place)
#endif

static void compare_tables(void)
{
#define PLAIN(Table, Field, place, since, ...) SINCE_##since(Table, Field, place)
#define MEANT(Table, Field, place, since, ...) SINCE_##since(Table, Field, place)
#define GIVES(Table, Field, place, since, ...) SINCE_##since(Table, Field, place)
#define ASKED(Table, Field, place, since, ...) SINCE_##since(Table, Field, place)
#include "wrappers/levelzero/levelzero_calls.def"
}

#define FIELD(own, field, theirs, name)                                                            \
    same(#theirs "." #name, offsetof(theirs, name), offsetof(struct own, field));                  \
    same("size of " #theirs "." #name, sizeof(((theirs *)0)->name),                                \
         sizeof(((struct own *)0)->field));
#define WHOLE(own, theirs) same("size of " #theirs, sizeof(theirs), sizeof(struct own));

static void compare_given(void)
{
    WHOLE(levelzero_pool_desc, ze_event_pool_desc_t)
    FIELD(levelzero_pool_desc, next, ze_event_pool_desc_t, pNext)
    FIELD(levelzero_pool_desc, flags, ze_event_pool_desc_t, flags)
    FIELD(levelzero_pool_desc, n, ze_event_pool_desc_t, count)
    WHOLE(levelzero_event_desc, ze_event_desc_t)
    FIELD(levelzero_event_desc, index, ze_event_desc_t, index)
    FIELD(levelzero_event_desc, signal_scope, ze_event_desc_t, signal)
    FIELD(levelzero_event_desc, wait_scope, ze_event_desc_t, wait)
    WHOLE(levelzero_queue_desc, ze_command_queue_desc_t)
    FIELD(levelzero_queue_desc, flags, ze_command_queue_desc_t, flags)
    WHOLE(levelzero_image_desc, ze_image_desc_t)
    FIELD(levelzero_image_desc, type, ze_image_desc_t, type)
    FIELD(levelzero_image_desc, layout, ze_image_desc_t, format.layout)
    FIELD(levelzero_image_desc, width, ze_image_desc_t, width)
    FIELD(levelzero_image_desc, height, ze_image_desc_t, height)
    FIELD(levelzero_image_desc, depth, ze_image_desc_t, depth)
    FIELD(levelzero_image_desc, levels, ze_image_desc_t, arraylevels)
    WHOLE(levelzero_groups, ze_group_count_t)
    WHOLE(levelzero_region, ze_copy_region_t)
    FIELD(levelzero_region, width, ze_copy_region_t, width)
    FIELD(levelzero_region, height, ze_copy_region_t, height)
    FIELD(levelzero_region, depth, ze_copy_region_t, depth)
    WHOLE(levelzero_region, ze_image_region_t)
    FIELD(levelzero_region, width, ze_image_region_t, width)
    FIELD(levelzero_region, height, ze_image_region_t, height)
    FIELD(levelzero_region, depth, ze_image_region_t, depth)
}

static void compare_asked(void)
{
    WHOLE(levelzero_device_properties, ze_device_properties_t)
    FIELD(levelzero_device_properties, flags, ze_device_properties_t, flags)
    FIELD(levelzero_device_properties, part, ze_device_properties_t, subdeviceId)
    FIELD(levelzero_device_properties, timer, ze_device_properties_t, timerResolution)
    FIELD(levelzero_device_properties, clock_bits, ze_device_properties_t, timestampValidBits)
    FIELD(levelzero_device_properties, kernel_clock_bits, ze_device_properties_t,
          kernelTimestampValidBits)
    FIELD(levelzero_device_properties, name, ze_device_properties_t, name)
    WHOLE(levelzero_memory_properties, ze_memory_allocation_properties_t)
    FIELD(levelzero_memory_properties, type, ze_memory_allocation_properties_t, type)
    WHOLE(levelzero_times, ze_kernel_timestamp_result_t)
    FIELD(levelzero_times, begin, ze_kernel_timestamp_result_t, global.kernelStart)
    FIELD(levelzero_times, end, ze_kernel_timestamp_result_t, global.kernelEnd)
}

static void compare_values(void)
{
    same("success", ZE_RESULT_SUCCESS, LEVELZERO_SUCCESS);
    same("not ready", ZE_RESULT_NOT_READY, LEVELZERO_NOT_READY);
    same("unsupported", ZE_RESULT_ERROR_UNSUPPORTED_VERSION, LEVELZERO_UNSUPPORTED_VERSION);
    same("version", ZE_API_VERSION_1_0, LEVELZERO_MAJOR << LEVELZERO_VERSION_BITS);
    same("properties", ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES, LEVELZERO_DEVICE_PROPERTIES);
    same("properties 1.2", ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2,
         LEVELZERO_DEVICE_PROPERTIES_1_2);
    same("pool", ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, LEVELZERO_POOL_DESC);
    same("event", ZE_STRUCTURE_TYPE_EVENT_DESC, LEVELZERO_EVENT_DESC);
    same("memory", ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES, LEVELZERO_MEMORY_PROPERTIES);
    same("host visible", ZE_EVENT_POOL_FLAG_HOST_VISIBLE, LEVELZERO_POOL_HOST_VISIBLE);
    same("shared", ZE_EVENT_POOL_FLAG_IPC, LEVELZERO_POOL_IPC);
    same("times", ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, LEVELZERO_POOL_TIMESTAMP);
    same("scope", ZE_EVENT_SCOPE_FLAG_HOST, LEVELZERO_SCOPE_HOST);
    same("unknown memory", ZE_MEMORY_TYPE_UNKNOWN, LEVELZERO_MEMORY_UNKNOWN);
    same("memory of the host", ZE_MEMORY_TYPE_HOST, LEVELZERO_MEMORY_HOST);
    same("memory of a device", ZE_MEMORY_TYPE_DEVICE, LEVELZERO_MEMORY_DEVICE);
    same("shared memory", ZE_MEMORY_TYPE_SHARED, LEVELZERO_MEMORY_SHARED);
    same("plane", ZE_IMAGE_TYPE_2D, LEVELZERO_IMAGE_2D);
    same("lines", ZE_IMAGE_TYPE_1DARRAY, LEVELZERO_IMAGE_1D_ARRAY);
    same("planes", ZE_IMAGE_TYPE_2DARRAY, LEVELZERO_IMAGE_2D_ARRAY);
    same("body", ZE_IMAGE_TYPE_3D, LEVELZERO_IMAGE_3D);
    same("last layout", ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4, LEVELZERO_LAYOUT_LAST);
}

int main(void)
{
    compare_tables();
    compare_given();
    compare_asked();
    compare_values();
    printf("%d values compared with Level Zero 1.%d, %d faults\n", compared, MINOR, faults);
    return faults != 0;
}
