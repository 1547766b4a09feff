/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions by construct and address. An open-address table of pointers to entries: looked up without
 * a lock, grown under one; entries never move and outgrown tables stay readable. An entry holds for
 * the number of unloaded objects that it was made at; after another one it is looked at again.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "agent/code_map.h"
#include "agent/definitions.h"
#include "agent/filter.h"
#include "agent/lock.h"
#include "agent/mem.h"
#include "agent/paradigms.h"

enum { FIRST_ROOM = 256, UNLOADS_SHIFT = 32 };

struct entry {
    const struct spur_construct *construct;
    const void *address;
    _Atomic uint64_t region; /* unloads << UNLOADS_SHIFT | region */
};

struct table {
    size_t room; /* a power of two */
    size_t used;
    _Atomic(struct entry *) at[];
};

static struct spur_lock table_lock;
static _Atomic(struct table *) table;

static size_t hash_of(const struct spur_construct *construct, const void *address)
{
    uint64_t key = (uintptr_t)address ^ ((uintptr_t)construct << 20);
    return (size_t)(key * 0x9e3779b97f4a7c15u >> 24);
}

static struct entry *find(const struct table *t, const struct spur_construct *construct,
                          const void *address)
{
    if (!t)
        return NULL;
    for (size_t i = hash_of(construct, address) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct entry *entry = atomic_load_explicit(&t->at[i], memory_order_acquire);
        if (!entry || (entry->address == address && entry->construct == construct))
            return entry;
    }
}

static void place(struct table *t, struct entry *entry)
{
    size_t i = hash_of(entry->construct, entry->address) & (t->room - 1);
    while (atomic_load_explicit(&t->at[i], memory_order_relaxed))
        i = (i + 1) & (t->room - 1);
    atomic_store_explicit(&t->at[i], entry, memory_order_release);
    t->used++;
}

static struct table *grown(const struct table *old)
{
    size_t room = old ? 2 * old->room : FIRST_ROOM;
    struct table *t = spur_mem_new(sizeof *t + room * sizeof t->at[0]);
    if (!t)
        return NULL;
    t->room = room;
    for (size_t i = 0; old && i < old->room; i++) {
        struct entry *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
        if (entry)
            place(t, entry);
    }
    atomic_store_explicit(&table, t, memory_order_release);
    return t;
}

/* With the lock. Without memory the region is looked for each time. */
static void remember(const struct spur_construct *construct, const void *address, uint64_t region)
{
    struct table *t = atomic_load_explicit(&table, memory_order_relaxed);
    struct entry *entry = find(t, construct, address);
    if (entry) {
        atomic_store_explicit(&entry->region, region, memory_order_release);
        return;
    }
    if (!t || 2 * (t->used + 1) > t->room)
        t = grown(t);
    entry = t ? spur_mem_new(sizeof *entry) : NULL;
    if (!entry)
        return;
    entry->construct = construct;
    entry->address = address;
    atomic_store_explicit(&entry->region, region, memory_order_relaxed);
    place(t, entry);
}

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

/* The last byte of the call: the instruction behind it may be another line's, or function's. */
static OTF2_RegionRef define(const struct spur_construct *construct, const void *address)
{
    int saved = errno;
    uint64_t unloads = spur_code_unloads();
    spur_lock_take(&table_lock);
    if (is_left_out(construct)) {
        remember(construct, address, unloads << UNLOADS_SHIFT | OTF2_UNDEFINED_REGION);
        spur_lock_give(&table_lock);
        errno = saved;
        return OTF2_UNDEFINED_REGION;
    }
    uint32_t code = address ? spur_code_at((const char *)address - 1) : OTF2_UNDEFINED_UINT32;
    OTF2_RegionRef region = spur_def_region_in(construct, code);
    if (region != OTF2_UNDEFINED_REGION)
        remember(construct, address, unloads << UNLOADS_SHIFT | region);
    spur_lock_give(&table_lock);
    errno = saved;
    return region;
}

OTF2_RegionRef spur_def_region_at(const struct spur_construct *construct,
                                  const void *return_address)
{
    const struct entry *entry =
        find(atomic_load_explicit(&table, memory_order_acquire), construct, return_address);
    if (__builtin_expect(entry != NULL, 1)) {
        uint64_t region = atomic_load_explicit(&entry->region, memory_order_acquire);
        if (__builtin_expect(region >> UNLOADS_SHIFT == spur_code_unloads(), 1))
            return (OTF2_RegionRef)region;
    }
    return define(construct, return_address);
}

/* The regions are the process's own; the parent's table is left where it is. */
void spur_code_region_after_fork(void)
{
    atomic_store_explicit(&table, NULL, memory_order_relaxed);
    spur_lock_reset(&table_lock);
}
