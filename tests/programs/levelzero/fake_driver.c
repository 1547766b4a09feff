/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A driver of Level Zero, opened by the loader through ZE_ENABLE_ALT_DRIVERS. Nothing works: each
 * work of a device gets times of begin and end by the host's clock, and copies are made at once.
 * Two devices, the second of two parts. The clock has 36 bits and 19.2 MHz, the times of events 28
 * bits and a period of 14 seconds; clock and times wrap soon after the start.
 *
 * The driver refuses calls that the interface forbids, and the end of a context with events: the
 * program sees the error. FAKE_LEVELZERO is a comma list:
 *
 *   old       a driver of 1.1: a clock in ns a cycle
 *   untimed   no pools with times
 */
#include "fake_levelzero.h"
#include "fake_objects.h"
#include "fake_works.h"

/* ---- the tables ---- */

#define FILL(Name, type, ...)                                                                      \
    ZE_DLLEXPORT ze_result_t zeGet##Name##ProcAddrTable(ze_api_version_t version, type *table)     \
    {                                                                                              \
        (void)version;                                                                             \
        *table = (type){__VA_ARGS__};                                                              \
        return ZE_RESULT_SUCCESS;                                                                  \
    }
FILL(Global, ze_global_dditable_t, .pfnInit = init)
FILL(Driver, ze_driver_dditable_t, .pfnGet = get_drivers)
FILL(Device, ze_device_dditable_t, .pfnGet = get_devices, .pfnGetSubDevices = get_parts,
     .pfnGetProperties = get_properties, .pfnGetGlobalTimestamps = get_times)
FILL(Context, ze_context_dditable_t, .pfnCreate = make_context, .pfnDestroy = end_context)
FILL(CommandQueue, ze_command_queue_dditable_t, .pfnCreate = make_queue, .pfnDestroy = end_queue,
     .pfnExecuteCommandLists = execute, .pfnSynchronize = wait_queue)
FILL(CommandList, ze_command_list_dditable_t, .pfnCreate = make_list,
     .pfnCreateImmediate = make_immediate, .pfnDestroy = end_list, .pfnClose = close_list,
     .pfnReset = reset_list, .pfnAppendBarrier = append_barrier, .pfnAppendMemoryCopy = append_copy,
     .pfnAppendMemoryFill = append_fill, .pfnAppendMemoryCopyRegion = append_region,
     .pfnAppendMemoryCopyFromContext = append_copy_from, .pfnAppendImageCopy = append_image_copy,
     .pfnAppendImageCopyToMemory = append_image_read,
     .pfnAppendImageCopyFromMemory = append_image_write, .pfnAppendSignalEvent = append_signal,
     .pfnAppendWaitOnEvents = append_wait, .pfnAppendEventReset = append_reset,
     .pfnAppendLaunchKernel = append_kernel, .pfnAppendLaunchCooperativeKernel = append_kernel)
FILL(Event, ze_event_dditable_t, .pfnCreate = make_event, .pfnDestroy = end_event,
     .pfnHostSignal = host_signal, .pfnHostSynchronize = wait_event, .pfnQueryStatus = query_status,
     .pfnHostReset = host_reset, .pfnQueryKernelTimestamp = query_times)
FILL(EventPool, ze_event_pool_dditable_t, .pfnCreate = make_pool, .pfnDestroy = end_pool)
FILL(Fence, ze_fence_dditable_t, .pfnCreate = make_fence, .pfnDestroy = end_fence,
     .pfnHostSynchronize = wait_fence, .pfnQueryStatus = query_fence, .pfnReset = reset_fence)
FILL(Image, ze_image_dditable_t, .pfnCreate = make_image, .pfnDestroy = end_image)
FILL(Kernel, ze_kernel_dditable_t, .pfnCreate = make_kernel, .pfnDestroy = end_kernel,
     .pfnSetGroupSize = set_group_size, .pfnGetName = get_name)
FILL(Mem, ze_mem_dditable_t, .pfnAllocShared = take_shared, .pfnAllocDevice = take_device,
     .pfnAllocHost = take_host, .pfnFree = give_memory, .pfnGetAllocProperties = get_memory)
FILL(Module, ze_module_dditable_t, .pfnCreate = make_module, .pfnDestroy = end_module)
FILL(ModuleBuildLog, ze_module_build_log_dditable_t, .pfnDestroy = NULL)
FILL(PhysicalMem, ze_physical_mem_dditable_t, .pfnCreate = NULL)
FILL(Sampler, ze_sampler_dditable_t, .pfnCreate = NULL)
FILL(VirtualMem, ze_virtual_mem_dditable_t, .pfnReserve = NULL)

/* The loader wants further functions of each driver; their tables stay empty. */
#define EMPTY(name)                                                                                \
    ZE_DLLEXPORT ze_result_t name(ze_api_version_t version, void *table)                           \
    {                                                                                              \
        (void)version;                                                                             \
        (void)table;                                                                               \
        return ZE_RESULT_SUCCESS;                                                                  \
    }
EMPTY(zetGetDeviceProcAddrTable)
EMPTY(zetGetContextProcAddrTable)
EMPTY(zetGetCommandListProcAddrTable)
EMPTY(zetGetModuleProcAddrTable)
EMPTY(zetGetKernelProcAddrTable)
EMPTY(zetGetMetricGroupProcAddrTable)
EMPTY(zetGetMetricProcAddrTable)
EMPTY(zetGetMetricStreamerProcAddrTable)
EMPTY(zetGetMetricQueryPoolProcAddrTable)
EMPTY(zetGetMetricQueryProcAddrTable)
EMPTY(zetGetTracerExpProcAddrTable)
EMPTY(zetGetDebugProcAddrTable)
EMPTY(zesGetDriverProcAddrTable)
EMPTY(zesGetDeviceProcAddrTable)
EMPTY(zesGetSchedulerProcAddrTable)
EMPTY(zesGetPerformanceFactorProcAddrTable)
EMPTY(zesGetPowerProcAddrTable)
EMPTY(zesGetFrequencyProcAddrTable)
EMPTY(zesGetEngineProcAddrTable)
EMPTY(zesGetStandbyProcAddrTable)
EMPTY(zesGetFirmwareProcAddrTable)
EMPTY(zesGetMemoryProcAddrTable)
EMPTY(zesGetFabricPortProcAddrTable)
EMPTY(zesGetTemperatureProcAddrTable)
EMPTY(zesGetPsuProcAddrTable)
EMPTY(zesGetFanProcAddrTable)
EMPTY(zesGetLedProcAddrTable)
EMPTY(zesGetRasProcAddrTable)
EMPTY(zesGetDiagnosticsProcAddrTable)
