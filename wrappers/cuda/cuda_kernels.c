/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the name of a kernel to its region. CUPTI has one text for all records of a kernel, so the
 * regions are kept by the addresses of names; a text is compared as well, since a module may be
 * unloaded and another one have its address.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "wrappers/cuda/cuda.h"

/* A name in the source is only asked for where a filter needs it. Longer ones need too much stack.
 */
enum { KERNELS = 1024, NAME_MOST = 1500 };

static struct {
    struct wrapper_lock lock;
    struct kernel {
        const char *name, *copy; /* NULL: none */
        OTF2_RegionRef region;
    } kernel[KERNELS];
} all;

/* ---- what the source calls it ---- */

typedef char *demangle(const char *name, char *room, size_t *size, int *status);

/* That of the program's library of C++, where it has one. */
static demangle *find_demangle(void)
{
    demangle *found = NULL;
    void *address = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    void *library = address ? NULL : dlopen("libstdc++.so.6", RTLD_NOW | RTLD_NOLOAD);
    if (library)
        address = dlsym(library, "__cxa_demangle");
    memcpy(&found, &address, sizeof found); /* ISO C knows no cast from data to function */
    return found;
}

struct naming {
    const char *name;
    char *in_source; /* of the program's heap; NULL: not known */
};

static void demangle_name(void *data)
{
    struct naming *naming = data;
    int status = -1;
    demangle *of_program = find_demangle();
    if (of_program)
        naming->in_source = of_program(naming->name, NULL, NULL, &status);
}

/* ---- regions ---- */

static OTF2_RegionRef define(const char *name)
{
    struct naming naming = {.name = name};
    if (spur_has_filter() && strncmp(name, "_Z", 2) == 0 && strnlen(name, NAME_MOST) < NAME_MOST)
        spur_on_own_stack(demangle_name, &naming);
    OTF2_RegionRef region = spur_def_activity(SPUR_FAMILY_CUDA, name, naming.in_source,
                                              "device kernel", OTF2_REGION_ROLE_FUNCTION);
    free(naming.in_source);
    return region;
}

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
    region = define(name);
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
