/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/node_table.h"

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

static struct node *find_in(const struct table *table, struct key key)
{
    struct node *node = table->buckets[hash(key) & (table->n_buckets - 1)];
    while (node && !is_equal(node->key, key))
        node = node->next;
    return node;
}

void *table_find(const struct table *table, struct key key)
{
    return table->n ? find_in(table, key) : NULL;
}

static void rehash(struct table *table)
{
    size_t n = table->n_buckets ? 2 * table->n_buckets : 16;
    struct node **buckets = take_memory(n * sizeof(struct node *));
    for (size_t i = 0; i < table->n_buckets; i++) {
        struct node *next;
        for (struct node *node = table->buckets[i]; node; node = next) {
            struct node **bucket = &buckets[hash(node->key) & (n - 1)];
            next = node->next;
            node->next = *bucket;
            *bucket = node;
        }
    }
    free(table->buckets);
    table->buckets = buckets;
    table->n_buckets = n;
}

static void add_slab(struct table *table)
{
    char *slab = take_memory(SLAB_NODES * table->node_bytes);
    table->slabs = grow_memory(table->slabs, (table->n_slabs + 1) * sizeof *table->slabs);
    table->slabs[table->n_slabs++] = slab;
    for (size_t i = 0; i < SLAB_NODES; i++) {
        struct node *node = (void *)(slab + i * table->node_bytes);
        node->next = table->free;
        table->free = node;
    }
}

void *table_intern(struct table *table, struct key key)
{
    struct node *node = table_find(table, key);
    if (node)
        return node;
    if (table->n >= table->n_buckets)
        rehash(table);
    if (!table->free)
        add_slab(table);
    node = table->free;
    table->free = node->next;
    memset(node, 0, table->node_bytes);
    struct node **bucket = &table->buckets[hash(key) & (table->n_buckets - 1)];
    node->key = key;
    node->next = *bucket;
    *bucket = node;
    table->n++;
    return node;
}

void table_remove(struct table *table, void *gone)
{
    struct node *node = gone;
    struct node **link = &table->buckets[hash(node->key) & (table->n_buckets - 1)];
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    node->next = table->free;
    table->free = node;
    table->n--;
}

void table_each(struct table *table, void (*visit)(void *node, void *context), void *context)
{
    for (size_t i = 0; i < table->n_buckets; i++) {
        struct node *next;
        for (struct node *node = table->buckets[i]; node; node = next) {
            next = node->next;
            visit(node, context);
        }
    }
}

static int by_key(const void *x, const void *y)
{
    const struct key *a = &(*(struct node *const *)x)->key;
    const struct key *b = &(*(struct node *const *)y)->key;
    ORDER(a->a, b->a);
    ORDER(a->b, b->b);
    return (a->c > b->c) - (a->c < b->c);
}

struct node **table_sorted(const struct table *table)
{
    struct node **nodes = take_memory(table->n * sizeof(struct node *));
    size_t n = 0;
    for (size_t i = 0; i < table->n_buckets; i++)
        for (struct node *node = table->buckets[i]; node; node = node->next)
            nodes[n++] = node;
    qsort(nodes, n, sizeof(struct node *), by_key);
    return nodes;
}

void table_fini(struct table *table)
{
    for (size_t i = 0; i < table->n_slabs; i++)
        free(table->slabs[i]);
    free(table->slabs);
    free(table->buckets);
    *table = (struct table){.node_bytes = table->node_bytes};
}
