/* SPDX-License-Identifier: BSD-3-Clause */
/* Do the tables of wrappers/cuda say what CUPTI's headers say? Compiled with these headers. */
#include <cuda.h>
#include <cupti.h>
#include <cupti_activity_deprecated.h>
#include <stddef.h>
#include <stdio.h>

/* The structs of each record. */
#define RECORD(RECORD, oldest, newest)                                                             \
    typedef oldest oldest_##RECORD;                                                                \
    typedef newest newest_##RECORD;
#include "wrappers/cuda/cupti_fields.def"

static int faults, compared;

static void same(const char *what, size_t is, size_t said)
{
    compared++;
    if (is == said)
        return;
    printf("%s: %zu, and the table says %zu\n", what, is, said);
    faults++;
}

#define COMPARE(struct_, name, offset, type)                                                       \
    same(#struct_ "." #name, offsetof(struct_, name), offset);                                     \
    same("size of " #struct_ "." #name, sizeof(((struct_ *)0)->name), sizeof(type));

int main(void)
{
#define FIELD(RECORD, name, offset, type)                                                          \
    COMPARE(oldest_##RECORD, name, offset, type)                                                   \
    COMPARE(newest_##RECORD, name, offset, type)
#include "wrappers/cuda/cupti_fields.def"
#define KIND(RECORD, number, group) same("kind " #RECORD, CUPTI_KIND_##RECORD, number);
#define CUPTI_KIND_COPY CUPTI_ACTIVITY_KIND_MEMCPY
#define CUPTI_KIND_FILL CUPTI_ACTIVITY_KIND_MEMSET
#define CUPTI_KIND_DEVICE CUPTI_ACTIVITY_KIND_DEVICE
#define CUPTI_KIND_KERNEL CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define CUPTI_KIND_PEER CUPTI_ACTIVITY_KIND_MEMCPY2
#define CUPTI_KIND_WAIT CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
#include "wrappers/cuda/cuda_kinds.def"
    same("driver", CUPTI_CB_DOMAIN_DRIVER_API, 1);
    same("runtime", CUPTI_CB_DOMAIN_RUNTIME_API, 2);
    same("resource", CUPTI_CB_DOMAIN_RESOURCE, 3);
    same("context ends", CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, 2);
    same("enter", CUPTI_API_ENTER, 0);
    same("forced", CUPTI_ACTIVITY_FLAG_FLUSH_FORCED, 1);
    same("taken", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39);
    same("pageable", CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, 1);
    same("to device", CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 1);
    same("to another device", CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, 10);
    same("wait for context", CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, 4);
    same("numbers of the runtime's calls fit", CUPTI_RUNTIME_TRACE_CBID_SIZE < 1024, 1);
    same("numbers of the driver's calls fit", CUPTI_DRIVER_TRACE_CBID_SIZE < 1024, 1);
    printf("%d values compared with CUPTI %d, %d faults\n", compared, CUPTI_API_VERSION, faults);
    return faults != 0;
}
