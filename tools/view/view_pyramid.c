/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_pyramid.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/quantity.h"

size_t view_pyramid_cells(const struct view_shape *shape)
{
    size_t n = 0;
    for (unsigned k = 0; k < shape->levels; k++)
        n += shape->n >> k;
    return n;
}

void view_pyramid_room(struct view_pyramid *p, uint32_t region)
{
    size_t room = 0;
    for (unsigned k = 0; k < p->n_levels; k++) {
        room = p->n_regions;
        p->level[k].self =
            list_grow(p->level[k].self, &room, (size_t)region + 1, sizeof *p->level[k].self);
    }
    p->n_regions = room;
}

void view_pyramid_init(struct view_pyramid *p, const struct view *v)
{
    *p = (struct view_pyramid){.view = v, .n_levels = v->shape.levels};
    for (unsigned k = 0; k < p->n_levels; k++) {
        p->level[k].n = v->shape.n >> k;
        p->level[k].length = (double)v->shape.bucket * (double)(UINT64_C(1) << k);
    }
    view_pyramid_room(p, (uint32_t)v->n_waits);
}

void view_pyramid_free(struct view_pyramid *p)
{
    for (unsigned k = 0; k < p->n_levels; k++) {
        free(p->level[k].self);
        free(p->level[k].touched.at);
    }
}

static void set_end(struct view_pyramid *p)
{
    const struct view_shape *s = &p->view->shape;
    uint32_t bucket = p->level[0].bucket;
    p->end = bucket < s->n ? s->from + s->bucket * (bucket + 1) : NO_TIME;
}

void view_pyramid_begin(struct view_pyramid *p, struct view_cell *cells, uint64_t time)
{
    const struct view_shape *s = &p->view->shape;
    uint64_t bucket = time <= s->from ? 0 : (time - s->from) / s->bucket;
    for (unsigned k = 0; k < p->n_levels; k++) {
        p->level[k].bucket = bucket < s->n ? (uint32_t)bucket >> k : s->n >> k;
        p->level[k].cells = cells;
        cells += s->n >> k;
    }
    set_end(p);
}

static uint8_t share_of(double part)
{
    double share = 255.0 * part;
    return (uint8_t)(share < 255.0 ? lround(share) : 255);
}

static uint16_t scaled(uint64_t bytes)
{
    double scale = 1024.0 * log2(1.0 + (double)bytes);
    return (uint16_t)(scale < 65535.0 ? lround(scale) : 65535);
}

static struct view_cell cell_of(const struct view_pyramid *p, const struct view_level *l)
{
    struct view_cell cell = {.region = NIL, .depth = (uint8_t)l->depth, .bytes = scaled(l->bytes)};
    uint64_t most = 0;
    uint64_t waiting = 0;
    for (size_t i = 0; i < l->touched.n; i++) {
        uint32_t region = l->touched.at[i];
        uint64_t self = l->self[region];
        if (self > most || (self == most && region < cell.region)) {
            most = self;
            cell.region = region;
        }
        waiting += view_waits(p->view, region) ? self : 0;
        if (region == REGION_OFF)
            cell.off = share_of((double)self / l->length);
    }
    cell.share = share_of((double)most / l->length);
    if (cell.region != NIL && !cell.share)
        cell.share = 1;
    cell.waiting = share_of((double)(waiting - l->alone) / l->length);
    return cell;
}

/* The bucket of a level is over. */
static void close_bucket(struct view_pyramid *p, unsigned k)
{
    struct view_level *l = &p->level[k];
    struct view_level *up = k + 1 < p->n_levels ? l + 1 : NULL;
    if (l->bucket < l->n && (l->touched.n || l->bytes))
        l->cells[l->bucket] = cell_of(p, l);
    for (size_t i = 0; i < l->touched.n; i++) {
        uint32_t region = l->touched.at[i];
        if (up && !up->self[region])
            *LIST_ADD(&up->touched) = region;
        if (up)
            up->self[region] += l->self[region];
        l->self[region] = 0;
    }
    if (up) {
        up->depth = up->depth < l->depth ? l->depth : up->depth;
        up->bytes += l->bytes;
        up->alone += l->alone;
    }
    l->touched.n = 0;
    l->depth = 0;
    l->bytes = 0;
    l->alone = 0;
    l->bucket++;
}

void view_pyramid_next(struct view_pyramid *p)
{
    close_bucket(p, 0);
    for (unsigned k = 1; k < p->n_levels && p->level[0].bucket >> k != p->level[k].bucket; k++)
        close_bucket(p, k);
    set_end(p);
}

void view_pyramid_finish(struct view_pyramid *p)
{
    for (unsigned k = 0; k < p->n_levels; k++)
        close_bucket(p, k);
}

/* ---- groups ---- */

/* What most of the rows' time is, of what is most in each. */
static struct view_cell mean_of(const struct view_row *rows, uint32_t n, size_t at,
                                uint32_t *shares)
{
    struct view_cell cell = {.region = NIL};
    uint32_t most = 0;
    uint32_t waiting = 0;
    uint32_t off = 0;
    double bytes = 0.0;
    for (uint32_t i = 0; i < n; i++) {
        const struct view_cell *c = &rows[i].cells[at];
        waiting += c->waiting;
        off += c->off;
        bytes += c->bytes ? exp2(c->bytes / 1024.0) - 1.0 : 0.0;
        cell.depth = c->depth > cell.depth ? c->depth : cell.depth;
        if (c->region == NIL)
            continue;
        uint32_t share = shares[c->region] += c->share;
        if (share > most || (share == most && c->region < cell.region)) {
            most = share;
            cell.region = c->region;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (rows[i].cells[at].region != NIL)
            shares[rows[i].cells[at].region] = 0;
    if (!n)
        return cell;
    cell.share = (uint8_t)((most + n / 2) / n);
    if (cell.region != NIL && !cell.share)
        cell.share = 1;
    cell.waiting = (uint8_t)((waiting + n / 2) / n);
    cell.off = (uint8_t)((off + n / 2) / n);
    cell.bytes = scaled(quantity_whole(bytes));
    return cell;
}

void view_pyramid_mean(const struct view *v, struct view_cell *cells, uint32_t first, uint32_t n)
{
    size_t room = 0;
    size_t n_cells = view_pyramid_cells(&v->shape);
    uint32_t *shares = list_grow(NULL, &room, v->defs.regions.n, sizeof *shares);
    for (size_t at = 0; at < n_cells; at++)
        cells[at] = mean_of(&v->rows.at[first], n, at, shares);
    free(shares);
}
