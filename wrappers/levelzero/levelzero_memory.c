/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that devices hold, by the calls that take it and give it back. It counts while recording
 * is paused, too: it may be given back later. A block is given back for spur before the driver
 * knows of it: the driver may give its address to another thread at once.
 */
#include "wrappers/levelzero/levelzero.h"

/* NULL: nothing is to be told. */
static struct spur_loc *begin(struct spur_loc *loc)
{
    if (levelzero_group_is_off[LEVELZERO_GROUP_memory])
        return NULL;
    return loc ? loc : spur_begin(SPUR_FAMILY_LEVELZERO, true);
}

static void end(const struct spur_loc *loc, struct spur_loc *own)
{
    if (own != loc)
        spur_end(own);
}

static void take(struct spur_loc *loc, void *device, const void *at, uint64_t bytes,
                 enum device_memory_kind kind)
{
    const struct device_memory what = {.address = (uint64_t)(uintptr_t)at,
                                       .bytes = bytes,
                                       .time = device_host_ns(),
                                       .is_of_host = true,
                                       .kind = kind};
    struct spur_loc *own = at && device ? begin(loc) : NULL;
    if (!own)
        return;
    struct levelzero_device *d = levelzero_known(LEVELZERO_DEVICE, device);
    struct device_context *context = d ? levelzero_device_context(d) : NULL;
    if (context)
        device_memory_taken(context, &what);
    end(loc, own);
}

uint32_t levelzero_Mem_AllocDevice(struct spur_loc *loc, void *context, void *how, size_t bytes,
                                   size_t alignment, void *device, void *at)
{
    uint32_t result = next_Mem_AllocDevice(context, how, bytes, alignment, device, at);
    if (result == LEVELZERO_SUCCESS)
        take(loc, device, *(void **)at, bytes, DEVICE_MEMORY_DEVICE);
    return result;
}

uint32_t levelzero_Mem_AllocShared(struct spur_loc *loc, void *context, void *how,
                                   void *how_on_host, size_t bytes, size_t alignment, void *device,
                                   void *at)
{
    uint32_t result = next_Mem_AllocShared(context, how, how_on_host, bytes, alignment, device, at);
    if (result == LEVELZERO_SUCCESS)
        take(loc, device, *(void **)at, bytes, DEVICE_MEMORY_MANAGED);
    return result;
}

static void give_back(struct spur_loc *loc, const void *at)
{
    const struct device_memory what = {.address = (uint64_t)(uintptr_t)at,
                                       .time = device_host_ns(),
                                       .is_of_host = true};
    struct spur_loc *own = at ? begin(loc) : NULL;
    if (!own)
        return;
    device_memory_given_back(&what);
    end(loc, own);
}

uint32_t levelzero_Mem_Free(struct spur_loc *loc, void *context, void *at)
{
    give_back(loc, at);
    return next_Mem_Free(context, at);
}

uint32_t levelzero_Mem_FreeExt(struct spur_loc *loc, void *context, void *how, void *at)
{
    give_back(loc, at);
    return next_Mem_FreeExt(context, how, at);
}
