/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_BASE_MAP_H
#define TOOLS_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/list.h"

/* From two numbers to one that is not NIL. */
struct map {
    struct map_slot *slots;
    size_t n;
    size_t room; /* a power of two, or 0 */
};

uint32_t map_find(const struct map *map, uint64_t a, uint64_t b); /* NIL: not there */
void map_set(struct map *map, uint64_t a, uint64_t b, uint32_t value);
/* What (a, b) leads to. If that is nothing yet, it leads to `next` from now on. */
uint32_t map_index(struct map *map, uint64_t a, uint64_t b, size_t next);
void map_remove(struct map *map, uint64_t a, uint64_t b);

struct map_entry {
    uint64_t a;
    uint64_t b;
    uint32_t value;
};

/* One after the other, in no order: the next from *at on, which begins with 0. False: that was all.
 */
bool map_next(const struct map *map, size_t *at, struct map_entry *entry);

#endif
