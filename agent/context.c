/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An open-address table of pointers to entries: looked up without a lock, grown under one; entries
 * never move and outgrown tables stay readable. It holds codes by return address, valid for the
 * number of unloaded objects that they were made at, and contexts by parent and what is below it.
 */
#include "agent/context.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/code_map.h"
#include "agent/definitions.h"
#include "agent/lock.h"
#include "agent/mem.h"
#include "agent/segment.h"

enum { FIRST_ROOM = 1 << 10, UNLOADS_SHIFT = 32 };

#define UNDEFINED OTF2_UNDEFINED_UINT32

/* What an entry is about: a code's address, or a context's region and code below its parent. */
struct key {
    uint64_t what;
    uint64_t below; /* the parent, or code_key */
};

static const uint64_t code_key = UINT64_MAX;

struct entry {
    struct key key;
    _Atomic uint64_t value; /* of a code: unloads << UNLOADS_SHIFT | number */
};

struct table {
    size_t room; /* a power of two */
    size_t used;
    _Atomic(struct entry *) at[];
};

static struct spur_lock table_lock;
static _Atomic(struct table *) table;

static inline size_t hash_of(struct key key)
{
    uint64_t hash = (key.what ^ key.below * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (size_t)(hash >> 32);
}

static inline struct entry *find(const struct table *t, struct key key)
{
    if (!t)
        return NULL;
    for (size_t i = hash_of(key) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct entry *entry = atomic_load_explicit(&t->at[i], memory_order_acquire);
        if (!entry || (entry->key.what == key.what && entry->key.below == key.below))
            return entry;
    }
}

static inline struct entry *seen(struct key key)
{
    return find(atomic_load_explicit(&table, memory_order_acquire), key);
}

/* ---- with the lock ---- */

static void place(struct table *t, struct entry *entry)
{
    size_t i = hash_of(entry->key) & (t->room - 1);
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

/* Without memory it is looked for each time. */
static void remember(struct key key, uint64_t value)
{
    struct table *t = atomic_load_explicit(&table, memory_order_relaxed);
    struct entry *entry = find(t, key);
    if (entry) {
        atomic_store_explicit(&entry->value, value, memory_order_release);
        return;
    }
    if (!t || 2 * (t->used + 1) > t->room)
        t = grown(t);
    entry = t ? spur_mem_new(sizeof *entry) : NULL;
    if (!entry)
        return;
    entry->key = key;
    atomic_store_explicit(&entry->value, value, memory_order_relaxed);
    place(t, entry);
}

/* ---- codes ---- */

/* The last byte of the call: the instruction behind it may be another line's, or function's. */
static uint32_t define_code(struct key key)
{
    int saved = errno;
    uint64_t unloads = spur_code_unloads();
    const void *address =
        (const void *)(uintptr_t)(key.what - 1); // NOLINT(performance-no-int-to-ptr)
    spur_lock_take(&table_lock);
    uint32_t code = spur_code_at(address);
    if (code != UNDEFINED)
        remember(key, unloads << UNLOADS_SHIFT | code);
    spur_lock_give(&table_lock);
    errno = saved;
    return code;
}

uint32_t spur_context_code(const void *address)
{
    const struct key key = {(uintptr_t)address, code_key};
    const struct entry *entry = seen(key);
    if (__builtin_expect(entry != NULL, 1)) {
        uint64_t value = atomic_load_explicit(&entry->value, memory_order_acquire);
        if (__builtin_expect(value >> UNLOADS_SHIFT == spur_code_unloads(), 1))
            return (uint32_t)value;
    }
    return define_code(key);
}

/* ---- contexts ---- */

static uint32_t define_context(struct key key, uint32_t parent, uint32_t region, uint32_t code)
{
    int saved = errno;
    spur_lock_take(&table_lock);
    uint32_t context = spur_def_context(parent, region, code);
    /* The words of what is open have no room for larger numbers. */
    if (context > SPUR_OPEN_ID)
        context = UNDEFINED;
    else
        remember(key, context);
    spur_lock_give(&table_lock);
    errno = saved;
    return context;
}

static inline uint32_t context_of(uint32_t parent, uint32_t region, uint32_t code)
{
    const struct key key = {(uint64_t)region << 32 | code, parent};
    const struct entry *entry = seen(key);
    if (__builtin_expect(entry != NULL, 1))
        return (uint32_t)atomic_load_explicit(&entry->value, memory_order_acquire);
    return define_context(key, parent, region, code);
}

/* A frame whose code is in no module any more is left out. */
uint32_t spur_context_frame(uint32_t parent, const void *address)
{
    uint32_t code = spur_context_code(address);
    return code == UNDEFINED ? parent : context_of(parent, OTF2_UNDEFINED_REGION, code);
}

uint32_t spur_context_path(uint32_t parent, const void *const *leaf_first, uint32_t n,
                           bool leaf_is_exact)
{
    for (uint32_t i = n; i-- > 0;) {
        const char *address = leaf_first[i];
        parent = spur_context_frame(parent, address + (i == 0 && leaf_is_exact));
    }
    return parent;
}

uint32_t spur_context_region(uint32_t parent, OTF2_RegionRef region, const void *address)
{
    if (region == OTF2_UNDEFINED_REGION)
        return UNDEFINED;
    return context_of(parent, region, address ? spur_context_code(address) : UNDEFINED);
}

/* The parent's table is left where it is. */
void spur_context_after_fork(void)
{
    atomic_store_explicit(&table, NULL, memory_order_relaxed);
    spur_lock_reset(&table_lock);
}
