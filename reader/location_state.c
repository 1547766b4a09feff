/* SPDX-License-Identifier: BSD-3-Clause */
#include "reader/location_state.h"

#include <string.h>

#include "format/memory.h"

enum { FIRST_ROOM = 16 };

static uint64_t bucket_of(const struct otf2_locations *l, OTF2_LocationRef id)
{
    /* Ids often differ in their upper half only (process << 32 | thread): mix all bits. */
    id ^= id >> 32;
    id *= 0x9e3779b97f4a7c15u;
    id ^= id >> 32;
    id *= 0x9e3779b97f4a7c15u;
    return id >> 32 & (l->n_buckets - 1);
}

struct otf2_location *otf2_locations_find(const struct otf2_locations *l, OTF2_LocationRef id)
{
    if (!l->n_buckets)
        return NULL;
    struct otf2_location *location = l->buckets[bucket_of(l, id)];
    while (location && location->id != id)
        location = location->next;
    return location;
}

/* Room for one more location, in the array and in buckets of at most one each on average. */
static bool make_room(struct otf2_locations *l)
{
    if (l->n < l->room)
        return true;
    uint64_t room = l->room ? 2 * l->room : FIRST_ROOM;
    struct otf2_location **all = otf2_mem_new((size_t)room * sizeof(struct otf2_location *));
    struct otf2_location **buckets = otf2_mem_new((size_t)room * sizeof(struct otf2_location *));
    if (!all || !buckets) {
        otf2_mem_free(all);
        otf2_mem_free(buckets);
        return false;
    }
    if (l->n)
        memcpy(all, l->all, (size_t)l->n * sizeof(struct otf2_location *));
    otf2_mem_free(l->all);
    otf2_mem_free(l->buckets);
    l->all = all;
    l->buckets = buckets;
    l->room = room;
    l->n_buckets = room;
    for (uint64_t i = 0; i < l->n; i++) {
        struct otf2_location **bucket = &buckets[bucket_of(l, all[i]->id)];
        all[i]->next = *bucket;
        *bucket = all[i];
    }
    return true;
}

struct otf2_location *otf2_locations_intern(struct otf2_locations *l, OTF2_LocationRef id)
{
    struct otf2_location *location = otf2_locations_find(l, id);
    if (location)
        return location;
    location = otf2_mem_new(sizeof *location);
    if (!location || !make_room(l)) {
        otf2_mem_free(location);
        return NULL;
    }
    struct otf2_location **bucket = &l->buckets[bucket_of(l, id)];
    location->id = id;
    location->next = *bucket;
    *bucket = location;
    l->all[l->n++] = location;
    return location;
}

bool otf2_clock_points_add(struct otf2_clock_points *c, OTF2_TimeStamp time, int64_t offset)
{
    if (c->n == c->room) {
        uint64_t room = c->room ? 2 * c->room : FIRST_ROOM;
        struct otf2_clock_point *points = otf2_mem_new((size_t)room * sizeof *points);
        if (!points)
            return false;
        if (c->n)
            memcpy(points, c->points, (size_t)c->n * sizeof *points);
        otf2_mem_free(c->points);
        c->points = points;
        c->room = room;
    }
    c->points[c->n++] = (struct otf2_clock_point){time, offset};
    return true;
}

void otf2_locations_fini(struct otf2_locations *l)
{
    for (uint64_t i = 0; i < l->n; i++) {
        for (unsigned type = 0; type < OTF2_MAPPING_MAX; type++)
            OTF2_IdMap_Free(l->all[i]->maps[type]);
        otf2_mem_free(l->all[i]->clock.points);
        otf2_mem_free(l->all[i]);
    }
    otf2_mem_free(l->all);
    otf2_mem_free(l->buckets);
    *l = (struct otf2_locations){0};
}
