/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/check/check_map.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_NODES = 64 };

static size_t hash(struct key key)
{
    uint64_t h = key.a * UINT64_C(0x9e3779b97f4a7c15) ^ key.b * UINT64_C(0xc2b2ae3d27d4eb4f) ^
                 key.c * UINT64_C(0x165667b19e3779f9);
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h ^ h >> 32);
}

static bool is_equal(struct key x, struct key y)
{
    return x.a == y.a && x.b == y.b && x.c == y.c;
}

static struct node *find_in(const struct map *map, struct key key)
{
    struct node *node = map->buckets[hash(key) & (map->n_buckets - 1)];
    while (node && !is_equal(node->key, key))
        node = node->next;
    return node;
}

void *map_find(const struct map *map, struct key key)
{
    return map->n ? find_in(map, key) : NULL;
}

static void rehash(struct map *map)
{
    size_t n = map->n_buckets ? 2 * map->n_buckets : 16;
    struct node **buckets = take_memory(n * sizeof(struct node *));
    for (size_t i = 0; i < map->n_buckets; i++) {
        struct node *next;
        for (struct node *node = map->buckets[i]; node; node = next) {
            struct node **bucket = &buckets[hash(node->key) & (n - 1)];
            next = node->next;
            node->next = *bucket;
            *bucket = node;
        }
    }
    free(map->buckets);
    map->buckets = buckets;
    map->n_buckets = n;
}

static void add_slab(struct map *map)
{
    char *slab = take_memory(SLAB_NODES * map->node_bytes);
    map->slabs = grow_memory(map->slabs, (map->n_slabs + 1) * sizeof *map->slabs);
    map->slabs[map->n_slabs++] = slab;
    for (size_t i = 0; i < SLAB_NODES; i++) {
        struct node *node = (void *)(slab + i * map->node_bytes);
        node->next = map->free;
        map->free = node;
    }
}

void *map_intern(struct map *map, struct key key)
{
    struct node *node = map_find(map, key);
    if (node)
        return node;
    if (map->n >= map->n_buckets)
        rehash(map);
    if (!map->free)
        add_slab(map);
    node = map->free;
    map->free = node->next;
    memset(node, 0, map->node_bytes);
    struct node **bucket = &map->buckets[hash(key) & (map->n_buckets - 1)];
    node->key = key;
    node->next = *bucket;
    *bucket = node;
    map->n++;
    return node;
}

void map_remove(struct map *map, void *gone)
{
    struct node *node = gone;
    struct node **link = &map->buckets[hash(node->key) & (map->n_buckets - 1)];
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    node->next = map->free;
    map->free = node;
    map->n--;
}

void map_each(struct map *map, void (*visit)(void *node, void *context), void *context)
{
    for (size_t i = 0; i < map->n_buckets; i++) {
        struct node *next;
        for (struct node *node = map->buckets[i]; node; node = next) {
            next = node->next;
            visit(node, context);
        }
    }
}

static int by_key(const void *x, const void *y)
{
    const struct key *a = &(*(struct node *const *)x)->key;
    const struct key *b = &(*(struct node *const *)y)->key;
    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->c > b->c) - (a->c < b->c);
}

struct node **map_sorted(const struct map *map)
{
    struct node **nodes = take_memory(map->n * sizeof(struct node *));
    size_t n = 0;
    for (size_t i = 0; i < map->n_buckets; i++)
        for (struct node *node = map->buckets[i]; node; node = node->next)
            nodes[n++] = node;
    qsort(nodes, n, sizeof(struct node *), by_key);
    return nodes;
}

void map_fini(struct map *map)
{
    for (size_t i = 0; i < map->n_slabs; i++)
        free(map->slabs[i]);
    free(map->slabs);
    free(map->buckets);
    *map = (struct map){.node_bytes = map->node_bytes};
}
