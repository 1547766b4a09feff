/* SPDX-License-Identifier: BSD-3-Clause */
/* The hot half of mpi_request.h, for callers that put and take requests in every call. */
#ifndef MPI_REQUEST_TABLE_H
#define MPI_REQUEST_TABLE_H

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/mpi/mpi_owner.h"
#include "wrappers/mpi/mpi_request.h"

/*
 * The usual place of a handle's oldest request: all of the request on one cache line. A request
 * goes to a slot if the place is taken, or if requests are already behind the place.
 */
struct mpi_request_front {
    _Alignas(64) mpi_word handle; /* 0, which is no handle: empty */
    uint32_t behind;              /* requests in slots whose handles lead here, too */
    struct mpi_request request;
};

_Static_assert(sizeof(struct mpi_request_front) == 64, "one cache line");

/* A handle with a request behind the front, and its maker's later requests in a queue. */
struct mpi_request_slot {
    struct mpi_request_slot *next; /* in the bucket, in the queue behind another slot, or free */
    mpi_word handle;
    struct mpi_request_slot *first; /* of the queue, NULL as a rule */
    struct mpi_request_slot *last;
    struct mpi_request request;
};

/* Threads seldom meet: a handle belongs to a part of the table, each part with its own lock. */
struct mpi_request_part {
    _Alignas(64) struct wrapper_lock lock;
    struct mpi_request_slot **buckets;
    size_t bucket_count; /* a power of two, 0 at first */
    size_t slot_count;   /* in buckets */
    struct mpi_request_slot *free_slots;
};

/* The maker of requests put while the table has an owner; the owner remains the only thread with
 * this number. */
enum { MPI_REQUEST_OWNER = 0 };

enum { MPI_REQUEST_PARTS = 16, MPI_REQUEST_FRONTS = 256 }; /* each part has as many fronts */

struct mpi_request_table {
    struct mpi_owner owner;
    struct mpi_request_part parts[MPI_REQUEST_PARTS];
    struct mpi_request_front fronts[MPI_REQUEST_FRONTS];
};

/* ---- the thread inside ---- */

struct mpi_request_hold {
    struct mpi_request_table *table;
    struct mpi_request_part *part;
    struct mpi_request_front *front;
    uint64_t mixed; /* the handle, its bits mixed */
    bool is_alone;
};

static inline uint64_t mpi_request_mix(mpi_word handle)
{
    return (uint64_t)handle * 0x9e3779b97f4a7c15u;
}

static inline struct mpi_request_front *mpi_request_front(struct mpi_request_table *table,
                                                          uint64_t mixed)
{
    return &table->fronts[mixed >> 56]; /* 8 bits: MPI_REQUEST_FRONTS */
}

static inline struct mpi_request_hold mpi_request_enter(struct mpi_request_table *table,
                                                        mpi_word handle)
{
    const uint64_t mixed = mpi_request_mix(handle);
    struct mpi_request_hold hold = {
        .table = table,
        .part = &table->parts[mixed >> 60], /* 4 bits: MPI_REQUEST_PARTS */
        .front = mpi_request_front(table, mixed),
        .mixed = mixed,
        .is_alone = mpi_owner_take(&table->owner),
    };
    if (__builtin_expect(!hold.is_alone, 0))
        wrapper_lock_take(&hold.part->lock);
    return hold;
}

static inline void mpi_request_leave(const struct mpi_request_hold *hold)
{
    if (__builtin_expect(hold->is_alone, 1))
        mpi_owner_give(&hold->table->owner);
    else
        wrapper_lock_give(&hold->part->lock);
}

/* ---- to put and to take, with a hold ---- */

bool mpi_request_remove_slowly(const struct mpi_request_hold *hold, mpi_word handle,
                               struct mpi_request *request);

/* As mpi_request_take(). */
static inline bool mpi_request_remove(struct mpi_request_table *table, mpi_word handle,
                                      struct mpi_request *request)
{
    const struct mpi_request_hold hold = mpi_request_enter(table, handle);
    struct mpi_request_front *front = hold.front;
    bool is_found = front->handle == handle;
    if (is_found && hold.is_alone) {
        *request = front->request;
        front->handle = 0;
    } else if (is_found || front->behind) {
        is_found = mpi_request_remove_slowly(&hold, handle, request);
    }
    mpi_request_leave(&hold);
    return is_found;
}

/*
 * ---- messages ----
 *
 * As a rule one thread uses the table, the place of a handle is free, and nothing is unusual. Both
 * functions below handle only this case and do nothing in all further cases: use the functions
 * above then.
 */

/* All facts about such a message. */
struct mpi_request_message {
    uint64_t id;
    OTF2_CommRef comm;
    uint8_t kind; /* MPI_REQUEST_SEND or MPI_REQUEST_RECV */
};

static inline __attribute__((always_inline)) bool
mpi_request_put_message(struct mpi_request_table *table, mpi_word handle,
                        const struct mpi_request_message *message)
{
    struct mpi_request_front *front = mpi_request_front(table, mpi_request_mix(handle));
    if (__builtin_expect(!mpi_owner_take_at_once(&table->owner), 0))
        return false;
    bool is_free = !front->handle && !front->behind;
    if (__builtin_expect(is_free, 1)) {
        front->handle = handle;
        front->request.id = message->id;
        front->request.comm = message->comm;
        front->request.kind = message->kind;
        front->request.unusual = 0;
        front->request.maker = MPI_REQUEST_OWNER;
    }
    mpi_owner_give(&table->owner);
    return is_free;
}

static inline __attribute__((always_inline)) bool
mpi_request_take_message(struct mpi_request_table *table, mpi_word handle,
                         struct mpi_request_message *message)
{
    struct mpi_request_front *front = mpi_request_front(table, mpi_request_mix(handle));
    if (__builtin_expect(!mpi_owner_take_at_once(&table->owner), 0))
        return false;
    const struct mpi_request *request = &front->request;
    *message = (struct mpi_request_message){request->id, request->comm, request->kind};
    bool is_message = front->handle == handle && !request->unusual &&
                      (message->kind == MPI_REQUEST_SEND || message->kind == MPI_REQUEST_RECV);
    if (__builtin_expect(is_message, 1))
        front->handle = 0;
    mpi_owner_give(&table->owner);
    return is_message;
}

#endif
