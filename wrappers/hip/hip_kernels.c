/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels by their numbers. A library may bring tens of thousands, most of which never run: a name
 * is kept when the kernel is loaded, and its region is defined when it has run. Numbers count from
 * 1 and are never used again.
 */
#include "wrappers/hip/hip.h"

enum { KERNELS_BITS = 12, KERNELS = 1 << KERNELS_BITS, TABLES = 1024, TEXT_BYTES = 1 << 16 };

struct kernel {
    const char *name; /* NULL: it is not known */
    OTF2_RegionRef region;
    bool is_defined;
};

static struct {
    struct wrapper_lock lock;
    struct kernel *table[TABLES];
    char *text; /* where the next names go */
    size_t room;
} all;

/* NULL: no memory, or a number that is too high. */
static struct kernel *at(uint64_t number, bool is_made)
{
    const uint64_t table = number >> KERNELS_BITS;
    if (table >= TABLES)
        return NULL;
    if (!all.table[table] && is_made)
        all.table[table] = spur_mem_new(KERNELS * sizeof(struct kernel));
    return all.table[table] ? &all.table[table][number % KERNELS] : NULL;
}

static const char *keep(const char *name, size_t length)
{
    if (length >= TEXT_BYTES)
        length = TEXT_BYTES - 1;
    if (length >= all.room) {
        all.text = spur_mem_new(TEXT_BYTES);
        all.room = all.text ? TEXT_BYTES : 0;
    }
    if (!all.text)
        return NULL;
    char *copy = all.text;
    memcpy(copy, name, length);
    copy[length] = '\0';
    all.text += length + 1;
    all.room -= length + 1;
    return copy;
}

/* The linker's name is that of what describes the kernel: ".kd" is behind it. */
static size_t plain_length(const char *name)
{
    static const char suffix[] = ".kd";
    const size_t n = sizeof suffix - 1, length = strlen(name);
    return length > n && strcmp(name + length - n, suffix) == 0 ? length - n : length;
}

void hip_kernel_known(uint64_t number, const char *name)
{
    if (!name)
        return;
    spur_inside_begin();
    wrapper_lock_take(&all.lock);
    struct kernel *kernel = at(number, true);
    if (kernel && !kernel->name)
        kernel->name = keep(name, plain_length(name));
    wrapper_lock_give(&all.lock);
    spur_inside_end();
}

OTF2_RegionRef hip_kernel_region(uint64_t number)
{
    wrapper_lock_take(&all.lock);
    const struct kernel *known = at(number, false);
    const struct kernel now = known ? *known : (struct kernel){.name = NULL};
    wrapper_lock_give(&all.lock);
    if (now.is_defined)
        return now.region;
    const OTF2_RegionRef region =
        device_kernel_region(SPUR_FAMILY_HIP, now.name && *now.name ? now.name : "kernel");
    if (!now.name)
        return region;
    wrapper_lock_take(&all.lock);
    struct kernel *kernel = at(number, false);
    if (kernel) {
        kernel->region = region;
        kernel->is_defined = true;
    }
    wrapper_lock_give(&all.lock);
    return region;
}
