/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A hash table of nodes that begin with a struct node. A node keeps its address until it is
 * removed, so pointers to nodes stay valid. A struct map is smaller and faster where two numbers
 * lead to an index.
 */
#ifndef TOOLS_BASE_NODE_TABLE_H
#define TOOLS_BASE_NODE_TABLE_H

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
struct table {
    size_t node_bytes;
    struct node **buckets;
    size_t n_buckets; /* a power of two, or 0 */
    size_t n;
    struct node *free;
    void **slabs;
    size_t n_slabs;
};

/* NULL: the key is not in the table. */
void *table_find(const struct table *table, struct key key);

/* The node of the key; a new node of zeros if the key is not in the table. */
void *table_intern(struct table *table, struct key key);

/* The node must be in the table. */
void table_remove(struct table *table, void *gone);

/* Calls `visit` for every node. `visit` may remove the visited node. */
void table_each(struct table *table, void (*visit)(void *node, void *context), void *context);

/* All nodes by the order of their keys: an array of table->n, to be freed. */
struct node **table_sorted(const struct table *table);

void table_fini(struct table *table);

#endif
