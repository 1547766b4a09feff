/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do the tables of wrappers/cuda say what CUPTI's headers say, and those of the metrics of GPUs
 * what NVML's header says? Compiled with these headers; NVML's need not be there.
 */
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>
#include <stddef.h>
#include <stdint.h>
#if __has_include(<nvml.h>)
#include <nvml.h>

#include "agent/metrics/sources/metric_nvml.h"
#define HAS_NVML
#endif

#include "tests/cuda_layout/same.h"
#include "wrappers/cuda/driver_numbers.h"

/* The structs of each record. */
#define RECORD(RECORD, oldest, newest)                                                             \
    typedef oldest oldest_##RECORD;                                                                \
    typedef newest newest_##RECORD;
#include "wrappers/cuda/cupti_fields.def"

#define COMPARE(struct_, name, offset, type)                                                       \
    same(#struct_ "." #name, offsetof(struct_, name), offset);                                     \
    same("size of " #struct_ "." #name, sizeof(((struct_ *)0)->name), sizeof(type));

static void compare_nvml(void)
{
#ifdef HAS_NVML
#define NVML_NUMBER(name, value, there) same("NVML " #name, there, value);
#include "agent/metrics/sources/nvml_numbers.def"
    same("rates", sizeof(nvmlUtilization_t), sizeof(struct spur_nvml_utilization));
    same("memory", sizeof(nvmlMemory_t), sizeof(struct spur_nvml_memory));
    same("memory in use", offsetof(nvmlMemory_t, used), offsetof(struct spur_nvml_memory, used));
    same("field", sizeof(nvmlFieldValue_t), sizeof(struct spur_nvml_field));
    same("type", offsetof(nvmlFieldValue_t, valueType), offsetof(struct spur_nvml_field, type));
    same("result", offsetof(nvmlFieldValue_t, nvmlReturn),
         offsetof(struct spur_nvml_field, result));
    same("value", offsetof(nvmlFieldValue_t, value), offsetof(struct spur_nvml_field, value));
#else
    printf("no nvml.h beside CUPTI's headers: NVML is not compared\n");
#endif
}

/* What copies are described with, and launches. */
static void compare_driver(void)
{
    same("2D: from", offsetof(CUDA_MEMCPY2D, srcMemoryType), 16);
    same("2D: from host", offsetof(CUDA_MEMCPY2D, srcHost), 24);
    same("2D: from device", offsetof(CUDA_MEMCPY2D, srcDevice), 32);
    same("2D: to", offsetof(CUDA_MEMCPY2D, dstMemoryType), 72);
    same("2D: to host", offsetof(CUDA_MEMCPY2D, dstHost), 80);
    same("2D: to device", offsetof(CUDA_MEMCPY2D, dstDevice), 88);
    same("2D: width", offsetof(CUDA_MEMCPY2D, WidthInBytes), 112);
    same("2D: height", offsetof(CUDA_MEMCPY2D, Height), 120);
    same("3D: from", offsetof(CUDA_MEMCPY3D, srcMemoryType), 32);
    same("3D: from host", offsetof(CUDA_MEMCPY3D, srcHost), 40);
    same("3D: from device", offsetof(CUDA_MEMCPY3D, srcDevice), 48);
    same("3D: to", offsetof(CUDA_MEMCPY3D, dstMemoryType), 120);
    same("3D: to host", offsetof(CUDA_MEMCPY3D, dstHost), 128);
    same("3D: to device", offsetof(CUDA_MEMCPY3D, dstDevice), 136);
    same("3D: width", offsetof(CUDA_MEMCPY3D, WidthInBytes), 176);
    same("3D: depth", offsetof(CUDA_MEMCPY3D, Depth), 192);
    same("launch: blocks", offsetof(CUlaunchConfig, gridDimX), 0);
    same("launch: threads", offsetof(CUlaunchConfig, blockDimX), 12);
    same("launch: shared memory", offsetof(CUlaunchConfig, sharedMemBytes), 24);
    same("launch: stream", offsetof(CUlaunchConfig, hStream), 32);
    same("kind of memory", CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUDA_MEMORY_TYPE);
    same("relaxed", CU_STREAM_CAPTURE_MODE_RELAXED, CUDA_CAPTURE_RELAXED);
    same("not ready", CUDA_ERROR_NOT_READY, CUDA_NOT_READY);
    same("stream of threads", (uintptr_t)CU_STREAM_PER_THREAD, CUDA_PER_THREAD);
    same("flag of threads", CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, CUDA_PER_THREAD);
    same("host", CU_MEMORYTYPE_HOST, 1);
    same("unified", CU_MEMORYTYPE_UNIFIED, 4);
    same("known", CUDA_VERSION >= CUDA_KNOWN, 1);
}

static void compare_moves(void)
{
    typedef CUpti_ActivityUnifiedMemoryCounterConfig wanted;
    same("moves to device", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 1);
    same("moves to host", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 2);
    same("fault of device", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 4);
    same("thrashing", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THRASHING, 5);
    same("throttling", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_THROTTLING, 6);
    same("between devices", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, 8);
    same("one device", CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE, 1);
    same("what is wanted", sizeof(wanted), 16);
    same("its kind", offsetof(wanted, kind), 4);
    same("its device", offsetof(wanted, deviceId), 8);
    same("is it on", offsetof(wanted, enable), 12);
}

int main(void)
{
    compare_nvml();
    compare_driver();
#define FIELD(RECORD, name, offset, type)                                                          \
    COMPARE(oldest_##RECORD, name, offset, type)                                                   \
    COMPARE(newest_##RECORD, name, offset, type)
#include "wrappers/cuda/cupti_fields.def"
#define KIND(RECORD, number, ...) same("kind " #RECORD, CUPTI_KIND_##RECORD, number);
#define LATER KIND
#define CUPTI_KIND_COPY CUPTI_ACTIVITY_KIND_MEMCPY
#define CUPTI_KIND_FILL CUPTI_ACTIVITY_KIND_MEMSET
#define CUPTI_KIND_DEVICE CUPTI_ACTIVITY_KIND_DEVICE
#define CUPTI_KIND_KERNEL CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define CUPTI_KIND_PEER CUPTI_ACTIVITY_KIND_MEMCPY2
#define CUPTI_KIND_MOVE CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER
#define CUPTI_KIND_WAIT CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
#define CUPTI_KIND_MEMORY CUPTI_ACTIVITY_KIND_MEMORY2
#include "wrappers/cuda/cuda_kinds.def"
    same("driver", CUPTI_CB_DOMAIN_DRIVER_API, 1);
    same("runtime", CUPTI_CB_DOMAIN_RUNTIME_API, 2);
    same("resource", CUPTI_CB_DOMAIN_RESOURCE, 3);
    same("context ends", CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, 2);
    same("CUDA has started", CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, 5);
    same("enter", CUPTI_API_ENTER, 0);
    same("forced", CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, 1);
    same("taken", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39);
    same("pageable", CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, 1);
    same("taken", CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION, 1);
    same("given back", CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE, 2);
    same("not there", CUPTI_ERROR_NOT_INITIALIZED, 15);
    compare_moves();
    same("no context", CUPTI_INVALID_CONTEXT_ID, UINT32_MAX);
    same("pinned memory", CUPTI_ACTIVITY_MEMORY_KIND_PINNED, 2);
    same("memory of the device", CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 3);
    same("memory of arrays", CUPTI_ACTIVITY_MEMORY_KIND_ARRAY, 4);
    same("managed memory", CUPTI_ACTIVITY_MEMORY_KIND_MANAGED, 5);
    same("variables of the device", CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC, 6);
    same("managed variables", CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC, 7);
    same("to device", CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 1);
    same("to another device", CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, 10);
    same("wait for context", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, 4);
    same("numbers of the runtime's calls fit", CUPTI_RUNTIME_TRACE_CBID_SIZE < 1024, 1);
    same("numbers of the driver's calls fit", CUPTI_DRIVER_TRACE_CBID_SIZE < 1024, 1);
    printf("%d values compared with CUPTI %d, %d faults\n", compared, CUPTI_API_VERSION, faults);
    return faults != 0;
}
