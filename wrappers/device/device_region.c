/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of what devices do, by their names: a runtime that knows its kernels by names asks with
 * each work.
 */
#include <string.h>

#include "wrappers/device/device.h"
#include "wrappers/kit/wrapper_names.h"

enum { CHAINS = 256, REGIONS = 4096 };

struct region {
    struct wrapper_name name; /* its key: the family and the kind */
    wrapper_id id;
    char text[];
};

static _Atomic(struct wrapper_name *) chains[CHAINS];
static struct wrapper_names regions = {.chain = chains, .chains = CHAINS};

/* NULL: there are too many. */
static struct region *add(const struct wrapper_name *like)
{
    const size_t bytes = sizeof(struct region) + like->length;
    struct region *mine = atomic_load(&regions.n) < REGIONS ? spur_mem_new(bytes) : NULL;
    if (!mine)
        return NULL;
    mine->name = *like;
    mine->name.text = memcpy(mine->text, like->text, like->length);
    struct region *r = (struct region *)wrapper_names_add(&regions, &mine->name);
    if (r != mine)
        spur_mem_free(mine, bytes);
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
    const uint32_t key = (uint32_t)family * DEVICE_KINDS + kind;
    const struct wrapper_name like = wrapper_name_of(key, name, strlen(name));
    struct region *r = (struct region *)wrapper_names_find(&regions, &like);
    OTF2_RegionRef region;
    if (r && wrapper_id_is_known(&r->id, &region))
        return region;
    region = define(family, name, kind);
    if (region != OTF2_UNDEFINED_REGION && (r || (r = add(&like))))
        return wrapper_id_keep(&r->id, region);
    return region;
}
