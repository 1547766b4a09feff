/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_request.h"

#include "wrappers/mpi/mpi_request_table.h"

enum { FIRST_BUCKETS = 64, AT_ONCE = 64, IDS_AT_ONCE = 256 };

struct mpi_request_table mpi_requests;
struct mpi_request_table mpi_messages;

/* A thread takes several numbers from the common counter at once. */
uint64_t mpi_request_new_id(void)
{
    static _Atomic(uint64_t) next_ids;
    static _Thread_local uint64_t ids;
    if (ids % IDS_AT_ONCE == 0)
        ids = atomic_fetch_add_explicit(&next_ids, IDS_AT_ONCE, memory_order_relaxed);
    return ids++;
}

/*
 * The calling thread's number, while the table is shared: numbers come again after 65,535 threads.
 */
static uint16_t maker_of(const struct mpi_request_table *table)
{
    static _Atomic(uint32_t) makers;
    static _Thread_local uint32_t own; /* 0: not numbered */
    if (!own && atomic_load(&table->owner.first) == &mpi_owner_self)
        return MPI_REQUEST_OWNER;
    if (!own)
        own = 1 + atomic_fetch_add_explicit(&makers, 1, memory_order_relaxed) % UINT16_MAX;
    return (uint16_t)own;
}

/* ---- memory ---- */

static struct mpi_request_slot **bucket_of(const struct mpi_request_part *part, uint64_t mixed)
{
    return &part->buckets[(mixed >> 24) & (part->bucket_count - 1)];
}

static size_t bytes_of(size_t buckets)
{
    return buckets * sizeof(void *);
}

/* Keeps the old buckets when there is no memory: slower, still right. */
static bool grow_buckets(struct mpi_request_part *part)
{
    struct mpi_request_part grown = *part;
    grown.bucket_count = part->bucket_count ? 2 * part->bucket_count : FIRST_BUCKETS;
    grown.buckets = spur_mem_new(bytes_of(grown.bucket_count));
    if (!grown.buckets)
        return part->bucket_count > 0;
    for (size_t i = 0; i < part->bucket_count; i++) {
        struct mpi_request_slot *next;
        for (struct mpi_request_slot *slot = part->buckets[i]; slot; slot = next) {
            next = slot->next;
            struct mpi_request_slot **bucket = bucket_of(&grown, mpi_request_mix(slot->handle));
            slot->next = *bucket;
            *bucket = slot;
        }
    }
    if (part->buckets)
        spur_mem_free(part->buckets, bytes_of(part->bucket_count));
    part->buckets = grown.buckets;
    part->bucket_count = grown.bucket_count;
    return true;
}

static bool make_slots(struct mpi_request_part *part)
{
    struct mpi_request_slot *slots = spur_mem_new(AT_ONCE * sizeof *slots);
    for (int i = 0; slots && i < AT_ONCE; i++) {
        slots[i].next = part->free_slots;
        part->free_slots = &slots[i];
    }
    return slots != NULL;
}

/* Makes room for one more request. False: there is no memory. */
static bool grow(struct mpi_request_part *part)
{
    if (part->slot_count >= part->bucket_count && !grow_buckets(part))
        return false;
    return part->free_slots || make_slots(part);
}

/* ---- several requests of one handle ---- */

/* `slot` goes in the place of `*at` or behind `*at`, since both have the same handle and maker. */
static void queue(struct mpi_request_slot **at, struct mpi_request_slot *slot, bool is_first)
{
    struct mpi_request_slot *known = *at;
    if (is_first) {
        slot->next = known->next;
        slot->last = known->first ? known->last : known;
        slot->first = known;
        known->next = known->first;
        *at = slot;
        return;
    }
    slot->next = NULL;
    if (known->first)
        known->last->next = slot;
    else
        known->first = slot;
    known->last = slot;
}

/* `*at` goes, and the next slot in the queue takes the place. */
static void unqueue(struct mpi_request_slot **at)
{
    const struct mpi_request_slot *slot = *at;
    struct mpi_request_slot *next = slot->first;
    next->first = next->next;
    next->last = slot->last;
    next->next = slot->next;
    *at = next;
}

/* ---- behind the front ---- */

/* Where the slot of handle and maker is linked, or would be. There are buckets. */
static struct mpi_request_slot **find_slot(const struct mpi_request_hold *hold, mpi_word handle,
                                           uint16_t maker)
{
    struct mpi_request_slot **at = bucket_of(hold->part, hold->mixed);
    while (*at && ((*at)->handle != handle || (*at)->request.maker != maker))
        at = &(*at)->next;
    return at;
}

/* The same for any maker. */
static struct mpi_request_slot **find_any(const struct mpi_request_hold *hold, mpi_word handle)
{
    struct mpi_request_slot **at = bucket_of(hold->part, hold->mixed);
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

/* False: no memory. */
static bool place_in_slot(const struct mpi_request_hold *hold, mpi_word handle,
                          const struct mpi_request *request, bool is_first)
{
    struct mpi_request_part *part = hold->part;
    if ((part->slot_count >= part->bucket_count || !part->free_slots) && !grow(part))
        return false;
    struct mpi_request_slot **at = find_slot(hold, handle, request->maker);
    struct mpi_request_slot *slot = part->free_slots;
    part->free_slots = slot->next;
    slot->handle = handle;
    slot->request = *request;
    hold->front->behind++;
    if (*at) {
        queue(at, slot, is_first);
        return true;
    }
    slot->first = NULL;
    slot->next = NULL;
    *at = slot;
    part->slot_count++;
    return true;
}

/* The request at the front is older than the requests of the same maker behind the front. */
static void place(const struct mpi_request_hold *hold, mpi_word handle,
                  const struct mpi_request *request, bool is_first)
{
    struct mpi_request_front *front = hold->front;
    bool is_at_front =
        front->handle ? is_first && front->handle == handle : is_first || !front->behind;
    if (!is_at_front) {
        (void)place_in_slot(hold, handle, request, is_first);
        return;
    }
    if (front->handle && !place_in_slot(hold, handle, &front->request, true))
        return;
    front->handle = handle;
    front->request = *request;
}

static void remove_slot(const struct mpi_request_hold *hold, struct mpi_request_slot **at,
                        struct mpi_request *request)
{
    struct mpi_request_part *part = hold->part;
    struct mpi_request_slot *slot = *at;
    *request = slot->request;
    if (slot->first) {
        unqueue(at);
    } else {
        *at = slot->next;
        part->slot_count--;
    }
    slot->next = part->free_slots;
    part->free_slots = slot;
    hold->front->behind--;
}

/* A thread that holds a table alone has made all requests in the table. */
static uint16_t maker_in(const struct mpi_request_hold *hold)
{
    return hold->is_alone ? MPI_REQUEST_OWNER : maker_of(hold->table);
}

/*
 * Finds the request that the caller means by the handle. `*slot`: the place of the request, or NULL
 * for a request at the front.
 */
static bool look_up(const struct mpi_request_hold *hold, mpi_word handle,
                    struct mpi_request_slot ***slot)
{
    const struct mpi_request_front *front = hold->front;
    uint16_t maker = maker_in(hold);
    bool is_at_front = front->handle == handle;
    *slot = NULL;
    if (is_at_front && (front->request.maker == maker || !front->behind))
        return true;
    if (!front->behind)
        return false;
    *slot = find_slot(hold, handle, maker);
    if (**slot)
        return true;
    *slot = is_at_front ? NULL : find_any(hold, handle);
    return is_at_front || **slot;
}

bool mpi_request_remove_slowly(const struct mpi_request_hold *hold, mpi_word handle,
                               struct mpi_request *request)
{
    struct mpi_request_slot **slot;
    if (!look_up(hold, handle, &slot))
        return false;
    if (slot) {
        remove_slot(hold, slot, request);
    } else {
        *request = hold->front->request;
        hold->front->handle = 0;
    }
    return true;
}

/* ---- the table ---- */

void mpi_request_put(struct mpi_request_table *table, mpi_word handle,
                     const struct mpi_request *request)
{
    const struct mpi_request_hold hold = mpi_request_enter(table, handle);
    struct mpi_request made = *request;
    made.maker = maker_in(&hold);
    place(&hold, handle, &made, false);
    mpi_request_leave(&hold);
}

void mpi_request_put_back(struct mpi_request_table *table, mpi_word handle,
                          const struct mpi_request *request)
{
    const struct mpi_request_hold hold = mpi_request_enter(table, handle);
    place(&hold, handle, request, true);
    mpi_request_leave(&hold);
}

bool mpi_request_take(struct mpi_request_table *table, mpi_word handle, struct mpi_request *request)
{
    return mpi_request_remove(table, handle, request);
}

/* With the hold; NULL when there is no request. */
static struct mpi_request *find(const struct mpi_request_hold *hold, mpi_word handle)
{
    struct mpi_request_slot **slot;
    if (!look_up(hold, handle, &slot))
        return NULL;
    return slot ? &(*slot)->request : &hold->front->request;
}

bool mpi_request_peek(struct mpi_request_table *table, mpi_word handle, struct mpi_request *request)
{
    const struct mpi_request_hold hold = mpi_request_enter(table, handle);
    const struct mpi_request *found = find(&hold, handle);
    if (found)
        *request = *found;
    mpi_request_leave(&hold);
    return found != NULL;
}

void mpi_request_cancel(struct mpi_request_table *table, mpi_word handle)
{
    const struct mpi_request_hold hold = mpi_request_enter(table, handle);
    struct mpi_request *found = find(&hold, handle);
    if (found)
        found->is_cancelled = true;
    mpi_request_leave(&hold);
}
