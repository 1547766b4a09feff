/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table of nodes that begin with a struct node; a node stays where it is until it is
 * removed. Without memory the program ends: there is nothing to save.
 */
#ifndef CHECK_MAP_H
#define CHECK_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"

struct key {
    uint64_t a, b, c;
};

struct node {
    struct key key;
    struct node *next;
};

/* Set node_bytes, the rest to zero. */
struct map {
    size_t node_bytes;
    struct node **buckets;
    size_t n_buckets; /* a power of two, or 0 */
    size_t n;
    struct node *free;
    void **slabs;
    size_t n_slabs;
};

/* NULL if there is none. */
void *map_find(const struct map *map, struct key key);

/* The node of that key, a new one of zeros if there is none. */
void *map_intern(struct map *map, struct key key);

/* The node must be in the map. */
void map_remove(struct map *map, void *gone);

/* Calls `visit` for every node, which may remove that one. */
void map_each(struct map *map, void (*visit)(void *node, void *context), void *context);

/* All nodes by the order of their keys: an array of map->n, to be freed. */
struct node **map_sorted(const struct map *map);

void map_fini(struct map *map);

#endif
