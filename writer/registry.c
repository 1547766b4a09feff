/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer/registry.h"

#include "format/memory.h"

enum { BUCKETS_FIRST = 64 };

/* Location ids are often rank << 32 | thread: multiply, so that all bits reach those that count. */
static uint64_t mix(const struct otf2_registry *r, uint64_t key)
{
    return (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (r->n_buckets - 1);
}

static struct otf2_node **bucket_at(const struct otf2_registry *r, OTF2_LocationRef location)
{
    return &r->at[mix(r, location)];
}

static struct otf2_node **bucket_is(const struct otf2_registry *r, const struct otf2_node *node)
{
    return &r->is[mix(r, (uintptr_t)node)];
}

static void chain_location(struct otf2_registry *r, struct otf2_node *node)
{
    if (node->location == OTF2_UNDEFINED_LOCATION)
        return;
    struct otf2_node **bucket = bucket_at(r, node->location);
    node->next_at = *bucket;
    *bucket = node;
}

static void chain_address(struct otf2_registry *r, struct otf2_node *node)
{
    struct otf2_node **bucket = bucket_is(r, node);
    node->next_is = *bucket;
    *bucket = node;
}

static bool grow(struct otf2_registry *r)
{
    uint64_t n = r->n_buckets ? 2 * r->n_buckets : BUCKETS_FIRST;
    struct otf2_node **both = otf2_mem_new(2 * n * sizeof(struct otf2_node *));
    if (!both)
        return false;
    otf2_mem_free(r->at);
    r->at = both;
    r->is = both + n;
    r->n_buckets = n;
    /* From the oldest, so that of two writers of one location the newer one is found. */
    struct otf2_node *node = r->newest;
    while (node && node->older)
        node = node->older;
    for (; node; node = node->newer) {
        chain_location(r, node);
        chain_address(r, node);
    }
    return true;
}

bool otf2_registry_add(struct otf2_registry *r, struct otf2_node *node)
{
    if (r->n_nodes >= r->n_buckets && !grow(r) && !r->n_buckets)
        return false;
    node->newer = NULL;
    node->older = r->newest;
    if (node->older)
        node->older->newer = node;
    r->newest = node;
    r->n_nodes++;
    chain_location(r, node);
    chain_address(r, node);
    return true;
}

void otf2_registry_remove(struct otf2_registry *r, struct otf2_node *node)
{
    struct otf2_node **link = bucket_is(r, node);
    while (*link != node)
        link = &(*link)->next_is;
    *link = node->next_is;
    if (node->location != OTF2_UNDEFINED_LOCATION) {
        link = bucket_at(r, node->location);
        while (*link != node)
            link = &(*link)->next_at;
        *link = node->next_at;
    }
    if (node->newer)
        node->newer->older = node->older;
    else
        r->newest = node->older;
    if (node->older)
        node->older->newer = node->newer;
    r->n_nodes--;
}

struct otf2_node *otf2_registry_find(const struct otf2_registry *r, OTF2_LocationRef location)
{
    if (!r->n_buckets || location == OTF2_UNDEFINED_LOCATION)
        return NULL;
    struct otf2_node *node = *bucket_at(r, location);
    while (node && node->location != location)
        node = node->next_at;
    return node;
}

bool otf2_registry_has(const struct otf2_registry *r, const struct otf2_node *node)
{
    if (!r->n_buckets)
        return false;
    const struct otf2_node *at = *bucket_is(r, node);
    while (at && at != node)
        at = at->next_is;
    return at;
}

void otf2_registry_locate(struct otf2_registry *r, struct otf2_node *node,
                          OTF2_LocationRef location)
{
    node->location = location;
    chain_location(r, node);
}

void otf2_registry_fini(struct otf2_registry *r)
{
    otf2_mem_free(r->at);
    *r = (struct otf2_registry){0};
}
