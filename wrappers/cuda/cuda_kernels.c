/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the name of a kernel to its region. CUPTI has one text for all records of a kernel, so the
 * regions are kept by the addresses of names; a text is compared as well, since a module may be
 * unloaded and another one have its address.
 */
#include "wrappers/cuda/cuda.h"

enum { KERNELS = 1024 };

static struct {
    struct wrapper_lock lock;
    struct kernel {
        const char *name, *copy; /* NULL: none */
        OTF2_RegionRef region;
    } kernel[KERNELS];
} all;

static void forget(struct kernel *kernel)
{
    if (kernel->copy)
        spur_mem_free((void *)(uintptr_t)kernel->copy, strlen(kernel->copy) + 1);
    *kernel = (struct kernel){.name = NULL};
}

static void keep(struct kernel *kernel, const char *name, OTF2_RegionRef region)
{
    size_t bytes = strlen(name) + 1;
    char *copy = spur_mem_new(bytes);
    forget(kernel);
    if (!copy)
        return;
    memcpy(copy, name, bytes);
    *kernel = (struct kernel){name, copy, region};
}

OTF2_RegionRef cuda_kernel_region(const char *name)
{
    struct kernel *kernel = &all.kernel[((uintptr_t)name >> 4 ^ (uintptr_t)name >> 14) % KERNELS];
    wrapper_lock_take(&all.lock);
    bool is_known = kernel->name == name && strcmp(kernel->copy, name) == 0;
    OTF2_RegionRef region = kernel->region;
    wrapper_lock_give(&all.lock);
    if (is_known)
        return region;
    region = device_kernel_region(SPUR_FAMILY_CUDA, name);
    wrapper_lock_take(&all.lock);
    keep(kernel, name, region);
    wrapper_lock_give(&all.lock);
    return region;
}

void cuda_kernels_forget(void)
{
    wrapper_lock_give(&all.lock);
    for (unsigned i = 0; i < KERNELS; i++)
        forget(&all.kernel[i]);
}
