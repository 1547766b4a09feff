/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that levelzero_all.c calls, by their names in the loader that it opens. */
#ifndef TESTS_LEVELZERO_BY_NAME_H
#define TESTS_LEVELZERO_BY_NAME_H

#define FUNCTIONS(F)                                                                               \
    F(zeCommandListAppendBarrier)                                                                  \
    F(zeCommandListAppendImageCopy)                                                                \
    F(zeCommandListAppendImageCopyFromMemory)                                                      \
    F(zeCommandListAppendImageCopyToMemory)                                                        \
    F(zeCommandListAppendLaunchKernel)                                                             \
    F(zeCommandListAppendMemoryCopy)                                                               \
    F(zeCommandListAppendMemoryCopyFromContext)                                                    \
    F(zeCommandListAppendMemoryCopyRegion)                                                         \
    F(zeCommandListAppendMemoryFill)                                                               \
    F(zeCommandListClose)                                                                          \
    F(zeCommandListCreate)                                                                         \
    F(zeCommandListCreateImmediate)                                                                \
    F(zeCommandListDestroy)                                                                        \
    F(zeCommandListReset)                                                                          \
    F(zeCommandQueueCreate)                                                                        \
    F(zeCommandQueueDestroy)                                                                       \
    F(zeCommandQueueExecuteCommandLists)                                                           \
    F(zeCommandQueueSynchronize)                                                                   \
    F(zeContextCreate)                                                                             \
    F(zeContextDestroy)                                                                            \
    F(zeDeviceGet)                                                                                 \
    F(zeDeviceGetSubDevices)                                                                       \
    F(zeDriverGet)                                                                                 \
    F(zeEventCreate)                                                                               \
    F(zeEventDestroy)                                                                              \
    F(zeEventHostReset)                                                                            \
    F(zeEventHostSynchronize)                                                                      \
    F(zeEventPoolCreate)                                                                           \
    F(zeEventPoolDestroy)                                                                          \
    F(zeEventQueryStatus)                                                                          \
    F(zeFenceCreate)                                                                               \
    F(zeFenceDestroy)                                                                              \
    F(zeFenceHostSynchronize)                                                                      \
    F(zeFenceReset)                                                                                \
    F(zeImageCreate)                                                                               \
    F(zeImageDestroy)                                                                              \
    F(zeInit)                                                                                      \
    F(zeKernelCreate)                                                                              \
    F(zeKernelDestroy)                                                                             \
    F(zeKernelSetGroupSize)                                                                        \
    F(zeMemAllocDevice)                                                                            \
    F(zeMemAllocHost)                                                                              \
    F(zeMemAllocShared)                                                                            \
    F(zeMemFree)                                                                                   \
    F(zeModuleCreate)                                                                              \
    F(zeModuleDestroy)

#define DECLARE(name) static __typeof__(&name) by_name_##name;
FUNCTIONS(DECLARE)

static void find_functions(void)
{
    void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader)
        exit(4);
#define FIND(name) by_name_##name = (__typeof__(&name))dlsym(loader, #name);
    FUNCTIONS(FIND)
}

#define zeCommandListAppendBarrier by_name_zeCommandListAppendBarrier
#define zeCommandListAppendImageCopy by_name_zeCommandListAppendImageCopy
#define zeCommandListAppendImageCopyFromMemory by_name_zeCommandListAppendImageCopyFromMemory
#define zeCommandListAppendImageCopyToMemory by_name_zeCommandListAppendImageCopyToMemory
#define zeCommandListAppendLaunchKernel by_name_zeCommandListAppendLaunchKernel
#define zeCommandListAppendMemoryCopy by_name_zeCommandListAppendMemoryCopy
#define zeCommandListAppendMemoryCopyFromContext by_name_zeCommandListAppendMemoryCopyFromContext
#define zeCommandListAppendMemoryCopyRegion by_name_zeCommandListAppendMemoryCopyRegion
#define zeCommandListAppendMemoryFill by_name_zeCommandListAppendMemoryFill
#define zeCommandListClose by_name_zeCommandListClose
#define zeCommandListCreate by_name_zeCommandListCreate
#define zeCommandListCreateImmediate by_name_zeCommandListCreateImmediate
#define zeCommandListDestroy by_name_zeCommandListDestroy
#define zeCommandListReset by_name_zeCommandListReset
#define zeCommandQueueCreate by_name_zeCommandQueueCreate
#define zeCommandQueueDestroy by_name_zeCommandQueueDestroy
#define zeCommandQueueExecuteCommandLists by_name_zeCommandQueueExecuteCommandLists
#define zeCommandQueueSynchronize by_name_zeCommandQueueSynchronize
#define zeContextCreate by_name_zeContextCreate
#define zeContextDestroy by_name_zeContextDestroy
#define zeDeviceGet by_name_zeDeviceGet
#define zeDeviceGetSubDevices by_name_zeDeviceGetSubDevices
#define zeDriverGet by_name_zeDriverGet
#define zeEventCreate by_name_zeEventCreate
#define zeEventDestroy by_name_zeEventDestroy
#define zeEventHostReset by_name_zeEventHostReset
#define zeEventHostSynchronize by_name_zeEventHostSynchronize
#define zeEventPoolCreate by_name_zeEventPoolCreate
#define zeEventPoolDestroy by_name_zeEventPoolDestroy
#define zeEventQueryStatus by_name_zeEventQueryStatus
#define zeFenceCreate by_name_zeFenceCreate
#define zeFenceDestroy by_name_zeFenceDestroy
#define zeFenceHostSynchronize by_name_zeFenceHostSynchronize
#define zeFenceReset by_name_zeFenceReset
#define zeImageCreate by_name_zeImageCreate
#define zeImageDestroy by_name_zeImageDestroy
#define zeInit by_name_zeInit
#define zeKernelCreate by_name_zeKernelCreate
#define zeKernelDestroy by_name_zeKernelDestroy
#define zeKernelSetGroupSize by_name_zeKernelSetGroupSize
#define zeMemAllocDevice by_name_zeMemAllocDevice
#define zeMemAllocHost by_name_zeMemAllocHost
#define zeMemAllocShared by_name_zeMemAllocShared
#define zeMemFree by_name_zeMemFree
#define zeModuleCreate by_name_zeModuleCreate
#define zeModuleDestroy by_name_zeModuleDestroy

#endif
