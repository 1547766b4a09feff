/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a row did, by buckets. Time comes in its order and is put into the finest level; a bucket
 * that is over hands what was spent in it to the next coarser one, so each level knows the region
 * with most time exactly.
 */
#ifndef TOOLS_VIEW_PYRAMID_H
#define TOOLS_VIEW_PYRAMID_H

#include "tools/view/view.h"

struct view_level {
    uint64_t *self; /* by region */
    LIST(uint32_t) touched;
    uint32_t bucket;
    uint32_t n;
    unsigned depth;
    uint64_t bytes;
    uint64_t alone; /* in regions that wait, but for nobody */
    double length;
    struct view_cell *cells;
};

struct view_pyramid {
    const struct view *view;
    unsigned n_levels;
    size_t n_regions; /* that there is room for */
    uint64_t end;     /* of the current bucket */
    struct view_level level[LEVELS_MAX];
};

/* How many cells a row has. */
size_t view_pyramid_cells(const struct view_shape *shape);

void view_pyramid_init(struct view_pyramid *p, const struct view *v);
void view_pyramid_free(struct view_pyramid *p);
void view_pyramid_begin(struct view_pyramid *p, struct view_cell *cells, uint64_t time);
void view_pyramid_next(struct view_pyramid *p); /* bucket */
void view_pyramid_finish(struct view_pyramid *p);
void view_pyramid_room(struct view_pyramid *p, uint32_t region);

static inline void view_pyramid_spend(struct view_pyramid *p, uint32_t region, uint64_t ns)
{
    struct view_level *l = &p->level[0];
    if (__builtin_expect(region >= p->n_regions, 0))
        view_pyramid_room(p, region);
    if (!l->self[region])
        *LIST_ADD(&l->touched) = region;
    l->self[region] += ns;
}

static inline void view_pyramid_depth(struct view_pyramid *p, size_t depth)
{
    if (depth > p->level[0].depth)
        p->level[0].depth = (unsigned)(depth > UINT8_MAX ? UINT8_MAX : depth);
}

/* The means over the rows of a group. */
void view_pyramid_mean(const struct view *v, struct view_cell *cells, uint32_t first, uint32_t n);

#endif
