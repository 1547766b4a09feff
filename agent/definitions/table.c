/* SPDX-License-Identifier: BSD-3-Clause */
#include "agent/definitions/table.h"

#include "base/mem.h"

enum { FIRST_ROOM = 1 << 9 };

static void place(struct spur_table_rows *rows, struct spur_table_entry *entry)
{
    size_t i = spur_table_hash(entry->key) & (rows->room - 1);
    while (atomic_load_explicit(&rows->at[i], memory_order_relaxed))
        i = (i + 1) & (rows->room - 1);
    atomic_store_explicit(&rows->at[i], entry, memory_order_release);
    rows->used++;
}

static struct spur_table_rows *grown(struct spur_table *table, const struct spur_table_rows *old)
{
    size_t room = old ? 2 * old->room : FIRST_ROOM;
    struct spur_table_rows *rows = spur_mem_new(sizeof *rows + room * sizeof rows->at[0]);
    if (!rows)
        return NULL;
    rows->room = room;
    for (size_t i = 0; old && i < old->room; i++) {
        struct spur_table_entry *entry = atomic_load_explicit(&old->at[i], memory_order_relaxed);
        if (entry)
            place(rows, entry);
    }
    atomic_store_explicit(&table->rows, rows, memory_order_release);
    return rows;
}

void spur_table_put(struct spur_table *table, struct spur_table_key key, uint64_t value)
{
    struct spur_table_rows *rows = atomic_load_explicit(&table->rows, memory_order_relaxed);
    struct spur_table_entry *entry = spur_table_find_in(rows, key);
    if (entry) {
        atomic_store_explicit(&entry->value, value, memory_order_release);
        return;
    }
    if (!rows || 2 * (rows->used + 1) > rows->room)
        rows = grown(table, rows);
    entry = rows ? spur_mem_new(sizeof *entry) : NULL;
    if (!entry)
        return;
    entry->key = key;
    atomic_store_explicit(&entry->value, value, memory_order_relaxed);
    place(rows, entry);
}
