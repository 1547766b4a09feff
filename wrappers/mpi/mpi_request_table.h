/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot half of mpi_request.h, for those who put and take requests in every call. */
#ifndef MPI_REQUEST_TABLE_H
#define MPI_REQUEST_TABLE_H

#include "wrappers/mpi/mpi_lock.h"
#include "wrappers/mpi/mpi_owner.h"
#include "wrappers/mpi/mpi_request.h"

/* A handle with its first request, and the others that wait behind it. */
struct mpi_request_slot {
    struct mpi_request_slot *next; /* in the bucket, in the queue behind another slot, or free */
    mpi_word handle;
    struct mpi_request_slot *first; /* of the queue, NULL as a rule */
    struct mpi_request_slot *last;
    struct mpi_request request;
};

/* Threads seldom meet: a handle belongs to one of several parts, each with its own lock. */
struct mpi_request_part {
    _Alignas(64) struct mpi_lock lock;
    struct mpi_request_slot **buckets;
    size_t bucket_count; /* a power of two, 0 at first */
    size_t slot_count;   /* in buckets */
    struct mpi_request_slot *free_slots;
};

enum { MPI_REQUEST_PARTS = 16 };

struct mpi_request_table {
    struct mpi_owner owner;
    struct mpi_request_part parts[MPI_REQUEST_PARTS];
};

/* ---- who is inside ---- */

struct mpi_request_hold {
    struct mpi_request_table *table;
    struct mpi_request_part *part;
    uint64_t mixed; /* the handle, its bits mixed */
    bool is_alone;
};

static inline uint64_t mpi_request_mix(mpi_word handle)
{
    return (uint64_t)handle * 0x9e3779b97f4a7c15u;
}

static inline struct mpi_request_hold mpi_request_enter(struct mpi_request_table *table,
                                                        mpi_word handle)
{
    const uint64_t mixed = mpi_request_mix(handle);
    struct mpi_request_hold hold = {
        .table = table,
        .part = &table->parts[mixed >> 60], /* 4 bits: MPI_REQUEST_PARTS */
        .mixed = mixed,
        .is_alone = mpi_owner_take(&table->owner),
    };
    if (__builtin_expect(!hold.is_alone, 0))
        mpi_lock_take(&hold.part->lock);
    return hold;
}

static inline void mpi_request_leave(const struct mpi_request_hold *hold)
{
    if (__builtin_expect(hold->is_alone, 1))
        mpi_owner_give(&hold->table->owner);
    else
        mpi_lock_give(&hold->part->lock);
}

/* ---- slots ---- */

static inline struct mpi_request_slot **mpi_request_bucket(const struct mpi_request_part *part,
                                                           uint64_t mixed)
{
    return &part->buckets[(mixed >> 24) & (part->bucket_count - 1)];
}

/* Where the handle's slot is linked, or would be. There are buckets. */
static inline struct mpi_request_slot **mpi_request_find(const struct mpi_request_hold *hold,
                                                         mpi_word handle)
{
    struct mpi_request_slot **at = mpi_request_bucket(hold->part, hold->mixed);
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

/* Make room for one more. False: there is no memory. */
bool mpi_request_grow(struct mpi_request_part *part);
/* `slot` goes in the place of `*at` or behind it, since both have one handle. */
void mpi_request_queue(struct mpi_request_slot **at, struct mpi_request_slot *slot, bool is_first);
/* `*at` goes, and the next one in its queue takes its place. */
void mpi_request_unqueue(struct mpi_request_slot **at);

/* Where to write the request; NULL when there is no memory. The hold is to be left. */
static inline struct mpi_request *mpi_request_place(const struct mpi_request_hold *hold,
                                                    mpi_word handle, bool is_first)
{
    struct mpi_request_part *part = hold->part;
    if (__builtin_expect(part->slot_count >= part->bucket_count || !part->free_slots, 0) &&
        !mpi_request_grow(part))
        return NULL;
    struct mpi_request_slot **at = mpi_request_find(hold, handle);
    struct mpi_request_slot *slot = part->free_slots;
    part->free_slots = slot->next;
    slot->handle = handle;
    if (__builtin_expect(*at != NULL, 0)) {
        mpi_request_queue(at, slot, is_first);
        return &slot->request;
    }
    slot->first = NULL;
    slot->next = NULL;
    *at = slot;
    part->slot_count++;
    return &slot->request;
}

/* As mpi_request_take(). */
static inline bool mpi_request_remove(struct mpi_request_table *table, mpi_word handle,
                                      struct mpi_request *request)
{
    const struct mpi_request_hold hold = mpi_request_enter(table, handle);
    struct mpi_request_part *part = hold.part;
    struct mpi_request_slot **at = part->bucket_count ? mpi_request_find(&hold, handle) : NULL;
    struct mpi_request_slot *slot = at ? *at : NULL;
    if (slot) {
        *request = slot->request;
        if (__builtin_expect(slot->first != NULL, 0)) {
            mpi_request_unqueue(at);
        } else {
            *at = slot->next;
            part->slot_count--;
        }
        slot->next = part->free_slots;
        part->free_slots = slot;
    }
    mpi_request_leave(&hold);
    return slot != NULL;
}

#endif
