/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions by construct and address. What the table says holds for the number of unloaded objects
 * that it was made at; after another one it is looked at again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/definitions/definitions.h"
#include "agent/definitions/filter_load.h"
#include "agent/definitions/table.h"
#include "agent/stacks/code_map.h"
#include "base/lock.h"
#include "base/own_stack.h"
#include "session/paradigms.h"

enum { UNLOADS_SHIFT = 32 };

static struct spur_lock table_lock;
static struct spur_table table; /* values: unloads << UNLOADS_SHIFT | region */

/* Forks, creations of tasks and acquisitions of locks stand in such regions. */
static bool holds_records(const struct spur_construct *construct)
{
    static const uint8_t roles[] = {OTF2_REGION_ROLE_PARALLEL, OTF2_REGION_ROLE_TASK_CREATE,
                                    OTF2_REGION_ROLE_CRITICAL, OTF2_REGION_ROLE_ATOMIC,
                                    OTF2_REGION_ROLE_ORDERED};
    return memchr(roles, construct->role, sizeof roles) != NULL;
}

static bool is_left_out(const struct spur_construct *construct)
{
    char name[128];
    if (holds_records(construct))
        return false;
    snprintf(name, sizeof name, "%s%s", spur_paradigm_prefix(construct->paradigm), construct->name);
    const struct spur_filter_subject subject = {.name = name,
                                                .is_wrapped = name[0] == '!',
                                                .is_open_ended = true};
    return spur_filtered(&subject);
}

static struct spur_table_key key_of(const struct spur_construct *construct, const void *address)
{
    return (struct spur_table_key){(uintptr_t)address, (uintptr_t)construct};
}

/* What the thread has handed over last, and in which call. */
static __thread const void *handed, *handed_by __attribute__((tls_model("initial-exec")));

const void *spur_place_of(uintptr_t function, const void *call)
{
    handed_by = call;
    return handed = (const char *)function + 1;
}

/* The code of the first call that handed the function over; undefined: it is none. */
static uint32_t call_of(const void *address, uint64_t unloads)
{
    const struct spur_table_key key = key_of(NULL, address);
    uint64_t known;
    if (spur_table_find(&table, key, &known) && known >> UNLOADS_SHIFT == unloads)
        return (uint32_t)known;
    if (!address || handed != address || !handed_by)
        return OTF2_UNDEFINED_UINT32;
    uint32_t code = spur_code_at((const char *)handed_by - 1);
    spur_table_put(&table, key, unloads << UNLOADS_SHIFT | code);
    return code;
}

/* The last byte of the call: the instruction behind it may be another line's, or function's. */
static OTF2_RegionRef define_here(const struct spur_construct *construct, const void *address)
{
    const struct spur_table_key key = key_of(construct, address);
    int saved = errno;
    uint64_t unloads = spur_code_unloads();
    spur_lock_take(&table_lock);
    if (is_left_out(construct)) {
        spur_table_put(&table, key, unloads << UNLOADS_SHIFT | OTF2_UNDEFINED_REGION);
        spur_lock_give(&table_lock);
        errno = saved;
        return OTF2_UNDEFINED_REGION;
    }
    uint32_t code = address ? spur_code_at((const char *)address - 1) : OTF2_UNDEFINED_UINT32;
    OTF2_RegionRef region = spur_def_region_in(construct, code, call_of(address, unloads));
    if (region != OTF2_UNDEFINED_REGION)
        spur_table_put(&table, key, unloads << UNLOADS_SHIFT | region);
    spur_lock_give(&table_lock);
    errno = saved;
    return region;
}
static OTF2_RegionRef define(const struct spur_construct *construct, const void *address);
SPUR_DOOR(OTF2_RegionRef, define, (const struct spur_construct *, construct),
          (const void *, address))

OTF2_RegionRef spur_def_region_at(const struct spur_construct *construct,
                                  const void *return_address)
{
    uint64_t region;
    if (spur_table_find(&table, key_of(construct, return_address), &region) &&
        region >> UNLOADS_SHIFT == spur_code_unloads())
        return (OTF2_RegionRef)region;
    return define(construct, return_address);
}

/* The regions are the process's own. */
void spur_code_region_after_fork(void)
{
    spur_table_forget(&table);
    spur_lock_reset(&table_lock);
}
