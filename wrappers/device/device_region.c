/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of what devices do, by their names: a runtime that knows its kernels by names asks with
 * each work. An entry stays for good, so the table is searched without a lock.
 */
#include <string.h>

#include "wrappers/device/device.h"

enum { CHAINS = 256, REGIONS = 4096 };

struct region {
    struct region *next; /* in its chain; never changes, nor does what else is not atomic */
    uint64_t hash;
    size_t length;
    _Atomic uint64_t known; /* 1 + generation of the process, and the region */
    char name[];
};

static struct region *_Atomic chains[CHAINS];
static _Atomic uint32_t n_regions;

static uint64_t hash_of(enum spur_family family, enum device_kind kind, const char *name,
                        size_t length)
{
    enum { SHIFT = 29 };
    uint64_t hash = (uint64_t)family * DEVICE_KINDS + kind;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)name[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> SHIFT;
    }
    return hash;
}

/* Two threads may add the same one: the last one is found. NULL: there are too many. */
static struct region *add(uint64_t hash, const char *name, size_t length)
{
    if (atomic_fetch_add(&n_regions, 1) >= REGIONS)
        return NULL;
    struct region *r = spur_mem_new(sizeof *r + length);
    if (!r)
        return NULL;
    r->hash = hash;
    r->length = length;
    memcpy(r->name, name, length);
    r->next = atomic_load(&chains[hash % CHAINS]);
    while (!atomic_compare_exchange_weak(&chains[hash % CHAINS], &r->next, r))
        ;
    return r;
}

static OTF2_RegionRef define(enum spur_family family, const char *name, enum device_kind kind)
{
    static const char *const words[DEVICE_KINDS] = {[DEVICE_KERNEL] = "device kernel",
                                                    [DEVICE_COPY] = "device copy",
                                                    [DEVICE_OTHER] = "device"};
    return spur_def_activity(family, name, NULL, words[kind], OTF2_REGION_ROLE_FUNCTION);
}

OTF2_RegionRef device_region(enum spur_family family, const char *name, enum device_kind kind)
{
    enum { HALF = 32 };
    const uint64_t mine = (uint64_t)spur_generation() + 1;
    const size_t length = strlen(name);
    const uint64_t hash = hash_of(family, kind, name, length);
    struct region *r = atomic_load_explicit(&chains[hash % CHAINS], memory_order_acquire);
    while (r && (r->hash != hash || r->length != length || memcmp(r->name, name, length) != 0))
        r = r->next;
    const uint64_t known = r ? atomic_load_explicit(&r->known, memory_order_relaxed) : 0;
    if (known >> HALF == mine)
        return (OTF2_RegionRef)known;
    const OTF2_RegionRef region = define(family, name, kind);
    if (region == OTF2_UNDEFINED_REGION)
        return region;
    if (r || (atomic_load(&n_regions) < REGIONS && (r = add(hash, name, length))))
        atomic_store_explicit(&r->known, mine << HALF | region, memory_order_relaxed);
    return region;
}
