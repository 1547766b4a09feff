/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers by keys of two words. Looking one up takes no lock and is async-signal-safe; adding is
 * done with a lock of the caller's. Entries never move and never go, and tables that were outgrown
 * stay readable, so a number once found may be read at any later time.
 */
#ifndef SPUR_TABLE_H
#define SPUR_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spur_table_key {
    uint64_t first, second;
};

struct spur_table_entry {
    struct spur_table_key key;
    _Atomic uint64_t value;
};

struct spur_table_rows {
    size_t room; /* a power of two */
    size_t used;
    _Atomic(struct spur_table_entry *) at[];
};

/* Zero-initialised: empty. */
struct spur_table {
    _Atomic(struct spur_table_rows *) rows;
};

static inline size_t spur_table_hash(struct spur_table_key key)
{
    uint64_t hash = (key.first ^ key.second * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (size_t)(hash >> 32);
}

static inline struct spur_table_entry *spur_table_find_in(const struct spur_table_rows *rows,
                                                          struct spur_table_key key)
{
    if (!rows)
        return NULL;
    const size_t mask = rows->room - 1;
    for (size_t i = spur_table_hash(key) & mask;; i = (i + 1) & mask) {
        struct spur_table_entry *entry = atomic_load_explicit(&rows->at[i], memory_order_acquire);
        if (!entry || (entry->key.first == key.first && entry->key.second == key.second))
            return entry;
    }
}

/* False: it is not there; else *value is the number. */
static inline bool spur_table_find(const struct spur_table *table, struct spur_table_key key,
                                   uint64_t *value)
{
    const struct spur_table_entry *entry =
        spur_table_find_in(atomic_load_explicit(&table->rows, memory_order_acquire), key);
    if (__builtin_expect(!entry, 0))
        return false;
    *value = atomic_load_explicit(&entry->value, memory_order_acquire);
    return true;
}

/* With the lock. Adds the number, or replaces it. Without memory the table stays as it is. */
void spur_table_put(struct spur_table *table, struct spur_table_key key, uint64_t value);

/* In a child of fork(): empty. The parent's entries are left where they are. */
static inline void spur_table_forget(struct spur_table *table)
{
    atomic_store_explicit(&table->rows, NULL, memory_order_relaxed);
}

#endif
