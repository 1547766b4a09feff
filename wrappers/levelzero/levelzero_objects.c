/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The objects of the program, by their handles. An entry stays for good: a handle that the driver
 * gives again finds its entry again. So the table is searched without a lock. What an entry says is
 * written before the program gets the handle. In a child of fork() the parent's are not known.
 */
#include "wrappers/levelzero/levelzero.h"

enum { CHAINS_BITS = 10, CHAINS = 1 << CHAINS_BITS };

static struct levelzero_object *_Atomic chains[CHAINS];

static const size_t sizes[LEVELZERO_KINDS] = {
    [LEVELZERO_CONTEXT] = sizeof(struct levelzero_context),
    [LEVELZERO_DEVICE] = sizeof(struct levelzero_device),
    [LEVELZERO_QUEUE] = sizeof(struct levelzero_queue),
    [LEVELZERO_LIST] = sizeof(struct levelzero_list),
    [LEVELZERO_EVENT] = sizeof(struct levelzero_event),
    [LEVELZERO_POOL] = sizeof(struct levelzero_pool),
    [LEVELZERO_FENCE] = sizeof(struct levelzero_fence),
    [LEVELZERO_IMAGE] = sizeof(struct levelzero_image),
    [LEVELZERO_KERNEL] = sizeof(struct levelzero_kernel),
};

static struct levelzero_object *_Atomic *chain_of(enum levelzero_kind kind, const void *handle)
{
    enum { SMALLEST = 4, WORD_BITS = 64 };
    uint64_t hash = (((uint64_t)(uintptr_t)handle >> SMALLEST) + kind) * 0x9e3779b97f4a7c15u;
    return &chains[hash >> (WORD_BITS - CHAINS_BITS)];
}

static struct levelzero_object *find(enum levelzero_kind kind, const void *handle)
{
    struct levelzero_object *o = atomic_load_explicit(chain_of(kind, handle), memory_order_acquire);
    while (o && (o->handle != handle || o->kind != kind))
        o = o->next;
    return o;
}

void *levelzero_find(enum levelzero_kind kind, const void *handle)
{
    struct levelzero_object *o = handle ? find(kind, handle) : NULL;
    return o && atomic_load(&o->made_in) == (uint64_t)device_generation() ? o : NULL;
}

void *levelzero_made(enum levelzero_kind kind, void *handle)
{
    struct levelzero_object *o = find(kind, handle);
    if (o) {
        memset(o + 1, 0, sizes[kind] - sizeof *o);
    } else {
        o = spur_mem_new(sizes[kind]);
        if (!o)
            return NULL;
        o->kind = kind;
        o->handle = handle;
        o->next = atomic_load(chain_of(kind, handle));
        while (!atomic_compare_exchange_weak(chain_of(kind, handle), &o->next, o))
            ;
    }
    atomic_store(&o->made_in, device_generation());
    return o;
}

void *levelzero_known(enum levelzero_kind kind, void *handle)
{
    void *object = levelzero_find(kind, handle);
    if (object || !handle)
        return object;
    levelzero_lock();
    object = levelzero_find(kind, handle);
    if (!object)
        object = levelzero_made(kind, handle);
    levelzero_unlock();
    return object;
}

void levelzero_gone(enum levelzero_kind kind, const void *handle)
{
    struct levelzero_object *o = levelzero_find(kind, handle);
    if (o)
        atomic_store(&o->made_in, 0);
}
