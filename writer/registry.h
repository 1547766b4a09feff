/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The open writers of one kind in an archive: found by location or handle in constant time, walked
 * from the newest to the oldest, which is the order of closing in an archive. A writer embeds and
 * owns a node; callers hold the archive's lock.
 */
#ifndef WRITER_REGISTRY_H
#define WRITER_REGISTRY_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

struct otf2_node {
    OTF2_LocationRef location; /* OTF2_UNDEFINED_LOCATION: not found by location */
    struct otf2_node *older;
    struct otf2_node *newer;
    struct otf2_node *next_at; /* in the bucket of the location */
    struct otf2_node *next_is; /* in the bucket of the node's address */
};

struct otf2_registry {
    struct otf2_node *newest;
    struct otf2_node **at; /* buckets by location */
    struct otf2_node **is; /* buckets by address */
    uint64_t n_buckets;    /* a power of two, or 0 */
    uint64_t n_nodes;
};

/* False when there is no memory; the node is then not in the registry. */
bool otf2_registry_add(struct otf2_registry *r, struct otf2_node *node);
void otf2_registry_remove(struct otf2_registry *r, struct otf2_node *node);
struct otf2_node *otf2_registry_find(const struct otf2_registry *r, OTF2_LocationRef location);
/*
 * Whether a handle belongs to an open writer. The function does not look into the handle: the
 * memory may have been released.
 */
bool otf2_registry_has(const struct otf2_registry *r, const struct otf2_node *node);
/* A node without a location gets a location. */
void otf2_registry_locate(struct otf2_registry *r, struct otf2_node *node,
                          OTF2_LocationRef location);
/* The nodes themselves stay with their writers. */
void otf2_registry_fini(struct otf2_registry *r);

#endif
