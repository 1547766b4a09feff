/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/spur_waits.h"

#include "agent/record/location.h"
#include "agent/record/object.h"
#include "agent/segment/buffer.h"

static void put_kind(struct spur_slot *slot, enum spur_wait kind)
{
    slot->waiting.depth = slot->depth;
    atomic_store_explicit(&slot->waiting.kind, kind, memory_order_release);
}

void spur_waits(struct spur_loc *loc, enum spur_wait kind, uint32_t comm, uint32_t peer,
                uint32_t tag)
{
    struct spur_slot *slot = loc->slot;
    slot->waiting.comm = comm;
    slot->waiting.peer = peer;
    slot->waiting.tag = tag;
    put_kind(slot, kind);
}

void spur_waits_request(struct spur_loc *loc, enum spur_wait kind, uint64_t handle)
{
    struct spur_slot *slot = loc->slot;
    slot->waiting.handle = handle;
    put_kind(slot, kind);
}

void spur_waits_lock(struct spur_loc *loc, const void *lock)
{
    const struct spur_object *object = spur_object_find(lock);
    if (object)
        spur_waits(loc, SPUR_WAIT_LOCK, 0, object->id, 0);
}

void spur_waits_over(struct spur_loc *loc)
{
    atomic_store_explicit(&loc->slot->waiting.kind, SPUR_WAIT_NOTHING, memory_order_relaxed);
}

struct spur_posted *spur_posted(uint64_t id)
{
    struct spur_segment *segment = spur_buffer_segment();
    return segment ? &segment->posted[id % SPUR_POSTED] : NULL;
}
