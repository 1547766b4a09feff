/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense numbers for the host's objects, and the order in which locks were acquired. */
#include "agent/record/object.h"

#include <string.h>

#include "agent/record/hooks.h"
#include "agent/record/location.h"
#include "agent/spur_agent.h"
#include "agent/state/identity.h"
#include "agent/state/state.h"
#include "base/lock.h"
#include "base/mem.h"
#include "base/quiet.h"

enum {
    FIRST_ROOM = 1024,
    NAMED_MAX = 1 << 16 /* locks that may have names */
};

static struct spur_lock table_lock;
_Atomic(struct spur_objects *) spur_objects;
static uint32_t next_id;

static struct spur_object *find(const struct spur_objects *t, uintptr_t key)
{
    if (!t)
        return NULL;
    for (size_t i = spur_object_hash(key) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct spur_object *entry = atomic_load_explicit(&t->at[i], memory_order_acquire);
        if (!entry)
            return NULL;
        if (atomic_load_explicit(&entry->key, memory_order_acquire) == key)
            return entry;
    }
}

static void place(struct spur_objects *t, struct spur_object *entry)
{
    uintptr_t key = atomic_load_explicit(&entry->key, memory_order_relaxed);
    size_t i = spur_object_hash(key) & (t->room - 1);
    while (atomic_load_explicit(&t->at[i], memory_order_relaxed))
        i = (i + 1) & (t->room - 1);
    atomic_store_explicit(&t->at[i], entry, memory_order_release);
    t->used++;
}

/* A forgotten entry on the way of a search for `key`. */
static struct spur_object *find_forgotten(const struct spur_objects *t, uintptr_t key)
{
    for (size_t i = spur_object_hash(key) & (t->room - 1);; i = (i + 1) & (t->room - 1)) {
        struct spur_object *entry = atomic_load_explicit(&t->at[i], memory_order_relaxed);
        if (!entry || !atomic_load_explicit(&entry->key, memory_order_relaxed))
            return entry;
    }
}

/* Makes the table anew. Forgotten entries are left behind. */
static struct spur_objects *grown(struct spur_objects *old)
{
    size_t live = 0;
    for (size_t i = 0; old && i < old->room; i++) {
        struct spur_object *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
        live += entry && atomic_load_explicit(&entry->key, memory_order_relaxed);
    }
    size_t room = FIRST_ROOM;
    while (room < 4 * (live + 1))
        room *= 2;
    struct spur_objects *t = spur_mem_new(sizeof *t + room * sizeof t->at[0]);
    if (!t)
        return NULL;
    t->room = room;
    t->outgrown = old;
    for (size_t i = 0; old && i < old->room; i++) {
        struct spur_object *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
        if (entry && atomic_load_explicit(&entry->key, memory_order_relaxed))
            place(t, entry);
    }
    atomic_store_explicit(&spur_objects, t, memory_order_release);
    return t;
}

static struct spur_object *add(uintptr_t key)
{
    struct spur_objects *t = atomic_load_explicit(&spur_objects, memory_order_acquire);
    struct spur_object *entry = find(t, key);
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

struct spur_object *spur_object_find(const void *object)
{
    return find(atomic_load_explicit(&spur_objects, memory_order_acquire), (uintptr_t)object);
}

static struct spur_object *make(const void *object)
{
    spur_lock_take(&table_lock);
    uint32_t id = next_id;
    struct spur_object *entry = add((uintptr_t)object);
    bool is_new = next_id != id;
    spur_lock_give(&table_lock);
    if (is_new && id < NAMED_MAX)
        spur_hooks.new_lock(id, object);
    return entry;
}

/*
 * The entry of an object, made if need be. NULL as well in a child that a signal handler has made
 * meanwhile, and that goes on with the call: other threads of the parent may have held any lock.
 */
static struct spur_object *intern(const void *object)
{
    struct spur_object *entry = spur_object_find(object);
    if (entry)
        return entry;
    spur_quiet_begin();
    if (spur_state_now() != SPUR_CHILD)
        entry = make(object);
    spur_quiet_end();
    return entry;
}

uint32_t spur_lock_number(const void *lock)
{
    const struct spur_object *entry = intern(lock);
    return entry ? entry->id : SPUR_NO_LOCK;
}

/*
 * A new entry for a lock whose order does not fit any more. The format has 32 bits for an order,
 * and the short way takes only orders of 31 bits. Then the lock counts as another lock, as if made
 * anew.
 */
static struct spur_object *numbered_anew(const struct spur_object *entry, const void *lock)
{
    if (atomic_load_explicit(&entry->order, memory_order_relaxed) < INT32_MAX)
        return NULL;
    spur_object_forget(lock);
    return intern(lock);
}

/* In a child of fork() a call begun by the parent may end: the acquisition is not recorded. */
struct spur_hold spur_lock_acquired(struct spur_loc *loc, const void *lock)
{
    struct spur_object *entry = spur_loc_is_shut(loc) ? NULL : intern(lock);
    if (!entry)
        return (struct spur_hold){.id = SPUR_NO_LOCK};
    spur_loc_move(loc, atomic_load_explicit(&entry->latest, memory_order_relaxed));
    struct spur_object *anew = numbered_anew(entry, lock);
    entry = anew ? anew : entry;
    spur_object_at(entry, loc->now);
    return (struct spur_hold){.id = entry->id,
                              .order = spur_object_order(entry),
                              .lock = entry,
                              .generation = spur_process.generation};
}

static void forget(struct spur_object *entry)
{
    if (entry)
        atomic_store_explicit(&entry->key, 0, memory_order_relaxed);
}

void spur_lock_lost(const struct spur_hold *hold)
{
    forget(hold->lock);
}

/* The record before may have found the location shut: a shut location does not open again. */
void spur_lock_released(const struct spur_loc *loc, const struct spur_hold *hold)
{
    if (spur_is_dropped(loc))
        spur_lock_lost(hold);
    else
        spur_object_at(hold->lock, loc->now);
}

void spur_object_forget(const void *object)
{
    forget(spur_object_find(object));
}

/* Numbers and orders are the process's own; the parent's table stays in place, unused. */
void spur_object_after_fork(void)
{
    atomic_store_explicit(&spur_objects, NULL, memory_order_relaxed);
    next_id = 0;
    spur_lock_reset(&table_lock);
}
