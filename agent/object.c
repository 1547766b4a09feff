/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dense numbers for the host's objects, and the order in which locks were acquired. An open-address
 * table of pointers to entries: looked up without a lock, grown under one; entries never move and
 * outgrown tables stay readable, so a look-up may run while the table grows.
 */
#include <stdatomic.h>
#include <string.h>

#include "agent/location.h"
#include "agent/lock.h"
#include "agent/mem.h"
#include "agent/spur_agent.h"

enum { FIRST_ROOM = 1024 };

struct entry {
    _Atomic uintptr_t key; /* 0: forgotten */
    uint32_t id;
    _Atomic uint32_t order;       /* acquisitions so far */
    _Atomic uint64_t released_at; /* time of the last release */
};

struct table {
    size_t room; /* a power of two */
    size_t used;
    struct table *outgrown;
    _Atomic(struct entry *) at[];
};

static struct spur_lock table_lock;
static _Atomic(struct table *) table;
static uint32_t next_id;

static size_t hash_of(uintptr_t key)
{
    return (size_t)((key >> 3) * 0x9e3779b97f4a7c15u >> 20);
}

static struct entry *find(const struct table *t, uintptr_t key)
{
    if (!t)
        return NULL;
    for (size_t i = hash_of(key) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct entry *entry = atomic_load_explicit(&t->at[i], memory_order_acquire);
        if (!entry)
            return NULL;
        if (atomic_load_explicit(&entry->key, memory_order_acquire) == key)
            return entry;
    }
}

static void place(struct table *t, struct entry *entry)
{
    uintptr_t key = atomic_load_explicit(&entry->key, memory_order_relaxed);
    size_t i = hash_of(key) & (t->room - 1);
    while (atomic_load_explicit(&t->at[i], memory_order_relaxed))
        i = (i + 1) & (t->room - 1);
    atomic_store_explicit(&t->at[i], entry, memory_order_release);
    t->used++;
}

/* A forgotten entry on the way that a search for `key` takes. */
static struct entry *find_forgotten(const struct table *t, uintptr_t key)
{
    for (size_t i = hash_of(key) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct entry *entry = atomic_load_explicit(&t->at[i], memory_order_relaxed);
        if (!entry || !atomic_load_explicit(&entry->key, memory_order_relaxed))
            return entry;
    }
}

/* Forgotten entries are left behind when the table is made anew. */
static struct table *grown(struct table *old)
{
    size_t live = 0;
    for (size_t i = 0; old && i < old->room; i++) {
        struct entry *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
        live += entry && atomic_load_explicit(&entry->key, memory_order_relaxed);
    }
    size_t room = FIRST_ROOM;
    while (room < 4 * (live + 1))
        room *= 2;
    struct table *t = spur_mem_new(sizeof *t + room * sizeof t->at[0]);
    if (!t)
        return NULL;
    t->room = room;
    t->outgrown = old;
    for (size_t i = 0; old && i < old->room; i++) {
        struct entry *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
        if (entry && atomic_load_explicit(&entry->key, memory_order_relaxed))
            place(t, entry);
    }
    atomic_store_explicit(&table, t, memory_order_release);
    return t;
}

static struct entry *add(uintptr_t key)
{
    struct table *t = atomic_load_explicit(&table, memory_order_acquire);
    struct entry *entry = find(t, key);
    if (entry)
        return entry;
    entry = t ? find_forgotten(t, key) : NULL;
    if (entry) {
        entry->id = next_id++;
        atomic_store_explicit(&entry->order, 0, memory_order_relaxed);
        atomic_store_explicit(&entry->key, key, memory_order_release);
        return entry;
    }
    if (!t || 2 * (t->used + 1) > t->room)
        t = grown(t);
    entry = t ? spur_mem_new(sizeof *entry) : NULL;
    if (!entry)
        return NULL;
    atomic_store_explicit(&entry->key, key, memory_order_relaxed);
    entry->id = next_id++;
    place(t, entry);
    return entry;
}

static struct entry *intern(const void *object)
{
    uintptr_t key = (uintptr_t)object;
    struct entry *entry = find(atomic_load_explicit(&table, memory_order_acquire), key);
    if (entry)
        return entry;
    spur_lock_take(&table_lock);
    entry = add(key);
    spur_lock_give(&table_lock);
    return entry;
}

struct spur_hold spur_lock_acquired(struct spur_loc *loc, const void *lock)
{
    struct entry *entry = intern(lock);
    if (!entry)
        return (struct spur_hold){.id = UINT32_MAX};
    uint64_t released_at = atomic_load_explicit(&entry->released_at, memory_order_relaxed);
    loc->now = loc->now > released_at ? loc->now : released_at;
    return (
        struct spur_hold){.id = entry->id,
                          .order =
                              atomic_fetch_add_explicit(&entry->order, 1, memory_order_relaxed) + 1,
                          .lock = entry};
}

/* Readers that release one lock at once may overtake each other here by nothing that matters. */
void spur_lock_released(const struct spur_loc *loc, const struct spur_hold *hold)
{
    struct entry *entry = hold->lock;
    if (entry && atomic_load_explicit(&entry->released_at, memory_order_relaxed) < loc->now)
        atomic_store_explicit(&entry->released_at, loc->now, memory_order_relaxed);
}

void spur_object_forget(const void *object)
{
    struct entry *entry =
        find(atomic_load_explicit(&table, memory_order_acquire), (uintptr_t)object);
    if (entry)
        atomic_store_explicit(&entry->key, 0, memory_order_relaxed);
}

/* Numbers and orders are the process's own; the parent's table is left where it is. */
void spur_object_after_fork(void)
{
    atomic_store_explicit(&table, NULL, memory_order_relaxed);
    next_id = 0;
    spur_lock_reset(&table_lock);
}
