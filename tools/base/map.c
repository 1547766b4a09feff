/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/map.h"

#include <stdlib.h>

#include "tools/base/fail.h"

struct map_slot {
    uint64_t a;
    uint64_t b;
    uint32_t value; /* NIL: the slot is free */
};

/* Where a key begins to look for its slot. */
static size_t home(const struct map *map, uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u ^ (b + 0x7f4a7c159e3779b9u) * 0xc2b2ae3d27d4eb4fu;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return (size_t)x & (map->room - 1);
}

/* The slot of a key, or the free one where it would go. */
static size_t slot_of(const struct map *map, uint64_t a, uint64_t b)
{
    size_t i = home(map, a, b);
    while (map->slots[i].value != NIL && (map->slots[i].a != a || map->slots[i].b != b))
        i = (i + 1) & (map->room - 1);
    return i;
}

uint32_t map_find(const struct map *map, uint64_t a, uint64_t b)
{
    return map->n ? map->slots[slot_of(map, a, b)].value : NIL;
}

static void enlarge(struct map *map)
{
    struct map old = *map;
    map->room = old.room ? 2 * old.room : 64;
    map->slots = there(malloc(map->room * sizeof *map->slots));
    for (size_t i = 0; i < map->room; i++)
        map->slots[i] = (struct map_slot){0, 0, NIL};
    for (size_t i = 0; i < old.room; i++)
        if (old.slots[i].value != NIL)
            map->slots[slot_of(map, old.slots[i].a, old.slots[i].b)] = old.slots[i];
    free(old.slots);
}

void map_set(struct map *map, uint64_t a, uint64_t b, uint32_t value)
{
    if (map->n >= map->room / 2)
        enlarge(map);
    struct map_slot *slot = &map->slots[slot_of(map, a, b)];
    map->n += slot->value == NIL;
    *slot = (struct map_slot){a, b, value};
}

uint32_t map_index(struct map *map, uint64_t a, uint64_t b, size_t next)
{
    uint32_t value = map_find(map, a, b);
    if (value != NIL)
        return value;
    map_set(map, a, b, (uint32_t)next);
    return (uint32_t)next;
}

/* Closes the gap: what stands behind it and wanted to stand before it moves up. */
void map_remove(struct map *map, uint64_t a, uint64_t b)
{
    size_t mask = map->room - 1;
    if (map_find(map, a, b) == NIL)
        return;
    size_t gap = slot_of(map, a, b);
    for (size_t i = (gap + 1) & mask; map->slots[i].value != NIL; i = (i + 1) & mask) {
        size_t wanted = home(map, map->slots[i].a, map->slots[i].b);
        if (((i - wanted) & mask) >= ((i - gap) & mask)) {
            map->slots[gap] = map->slots[i];
            gap = i;
        }
    }
    map->slots[gap].value = NIL;
    map->n--;
}

bool map_next(const struct map *map, size_t *at, struct map_entry *entry)
{
    while (*at < map->room && map->slots[*at].value == NIL)
        ++*at;
    if (*at >= map->room)
        return false;
    const struct map_slot *slot = &map->slots[(*at)++];
    *entry = (struct map_entry){slot->a, slot->b, slot->value};
    return true;
}
