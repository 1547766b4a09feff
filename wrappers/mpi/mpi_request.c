/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_request.h"

#include "wrappers/mpi/mpi_lock.h"

struct node {
    struct node *next;
    struct mpi_request request;
};

/* A handle and its queue, which is never empty: memory is bounded by what is open at once. */
struct slot {
    struct slot *next;
    mpi_word handle;
    struct node *first;
    struct node *last;
};

/* Threads seldom meet: a handle belongs to one of several parts, each with its own lock. */
struct part {
    _Alignas(64) struct mpi_lock lock;
    struct slot **buckets;
    size_t bucket_count; /* a power of two, 0 at first */
    size_t slot_count;
    struct slot *free_slots;
    struct node *free_nodes;
};

enum { PARTS = 16, FIRST_BUCKETS = 64, AT_ONCE = 64 };

struct mpi_request_table {
    struct part parts[PARTS];
};

struct mpi_request_table mpi_requests;
struct mpi_request_table mpi_messages;

uint64_t mpi_request_new_id(void)
{
    static _Atomic(uint64_t) next_id;
    return atomic_fetch_add_explicit(&next_id, 1, memory_order_relaxed);
}

static uint64_t mix(mpi_word handle)
{
    return (uint64_t)handle * 0x9e3779b97f4a7c15u;
}

static struct part *part_of(struct mpi_request_table *table, mpi_word handle)
{
    return &table->parts[mix(handle) >> 60]; /* 4 bits: PARTS */
}

static struct slot **bucket_of(const struct part *part, mpi_word handle)
{
    return &part->buckets[(mix(handle) >> 24) & (part->bucket_count - 1)];
}

static struct slot *find_slot(const struct part *part, mpi_word handle)
{
    struct slot *slot = part->bucket_count ? *bucket_of(part, handle) : NULL;
    while (slot && slot->handle != handle)
        slot = slot->next;
    return slot;
}

/* Keeps the old buckets when there is no memory: slower, still right. */
static bool grow(struct part *part)
{
    struct part grown = *part;
    grown.bucket_count = part->bucket_count ? 2 * part->bucket_count : FIRST_BUCKETS;
    grown.buckets = spur_mem_new(grown.bucket_count * sizeof(struct slot *));
    if (!grown.buckets)
        return part->bucket_count > 0;
    for (size_t i = 0; i < part->bucket_count; i++) {
        struct slot *next;
        for (struct slot *slot = part->buckets[i]; slot; slot = next) {
            next = slot->next;
            struct slot **bucket = bucket_of(&grown, slot->handle);
            slot->next = *bucket;
            *bucket = slot;
        }
    }
    if (part->buckets)
        spur_mem_free(part->buckets, part->bucket_count * sizeof(struct slot *));
    part->buckets = grown.buckets;
    part->bucket_count = grown.bucket_count;
    return true;
}

static struct slot *new_slot(struct part *part)
{
    if (!part->free_slots) {
        struct slot *slots = spur_mem_new(AT_ONCE * sizeof *slots);
        if (!slots)
            return NULL;
        for (int i = 0; i < AT_ONCE; i++) {
            slots[i].next = part->free_slots;
            part->free_slots = &slots[i];
        }
    }
    struct slot *slot = part->free_slots;
    part->free_slots = slot->next;
    return slot;
}

/* The last request of a handle was taken. */
static void free_slot(struct part *part, struct slot *slot)
{
    struct slot **at = bucket_of(part, slot->handle);
    while (*at != slot)
        at = &(*at)->next;
    *at = slot->next;
    slot->next = part->free_slots;
    part->free_slots = slot;
    part->slot_count--;
}

static struct slot *intern_slot(struct part *part, mpi_word handle)
{
    struct slot *slot = find_slot(part, handle);
    if (slot)
        return slot;
    if (part->slot_count >= part->bucket_count && !grow(part))
        return NULL;
    slot = new_slot(part);
    if (!slot)
        return NULL;
    struct slot **bucket = bucket_of(part, handle);
    *slot = (struct slot){.handle = handle, .next = *bucket};
    *bucket = slot;
    part->slot_count++;
    return slot;
}

static struct node *new_node(struct part *part)
{
    if (!part->free_nodes) {
        struct node *nodes = spur_mem_new(AT_ONCE * sizeof *nodes);
        if (!nodes)
            return NULL;
        for (int i = 0; i < AT_ONCE; i++) {
            nodes[i].next = part->free_nodes;
            part->free_nodes = &nodes[i];
        }
    }
    struct node *node = part->free_nodes;
    part->free_nodes = node->next;
    return node;
}

static void put(struct mpi_request_table *table, mpi_word handle, const struct mpi_request *request,
                bool is_first)
{
    struct part *part = part_of(table, handle);
    mpi_lock_take(&part->lock);
    struct slot *slot = intern_slot(part, handle);
    struct node *node = slot ? new_node(part) : NULL;
    if (slot && !node && !slot->first)
        free_slot(part, slot);
    if (node) {
        node->request = *request;
        node->next = is_first ? slot->first : NULL;
        if (!slot->first)
            slot->first = slot->last = node;
        else if (is_first)
            slot->first = node;
        else
            slot->last = slot->last->next = node;
    }
    mpi_lock_give(&part->lock);
}

void mpi_request_put(struct mpi_request_table *table, mpi_word handle,
                     const struct mpi_request *request)
{
    put(table, handle, request, false);
}

void mpi_request_put_back(struct mpi_request_table *table, mpi_word handle,
                          const struct mpi_request *request)
{
    put(table, handle, request, true);
}

bool mpi_request_take(struct mpi_request_table *table, mpi_word handle, struct mpi_request *request)
{
    struct part *part = part_of(table, handle);
    mpi_lock_take(&part->lock);
    struct slot *slot = find_slot(part, handle);
    struct node *node = slot ? slot->first : NULL;
    if (node) {
        *request = node->request;
        slot->first = node->next;
        node->next = part->free_nodes;
        part->free_nodes = node;
        if (!slot->first)
            free_slot(part, slot);
    }
    mpi_lock_give(&part->lock);
    return node != NULL;
}

bool mpi_request_peek(struct mpi_request_table *table, mpi_word handle, struct mpi_request *request)
{
    struct part *part = part_of(table, handle);
    mpi_lock_take(&part->lock);
    const struct slot *slot = find_slot(part, handle);
    const struct node *node = slot ? slot->first : NULL;
    if (node)
        *request = node->request;
    mpi_lock_give(&part->lock);
    return node != NULL;
}

void mpi_request_cancel(struct mpi_request_table *table, mpi_word handle)
{
    struct part *part = part_of(table, handle);
    mpi_lock_take(&part->lock);
    struct slot *slot = find_slot(part, handle);
    if (slot && slot->first)
        slot->first->request.is_cancelled = true;
    mpi_lock_give(&part->lock);
}
