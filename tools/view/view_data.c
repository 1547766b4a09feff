/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ---- */

uint8_t *view_bytes_more(struct view_bytes *b, size_t n)
{
    b->of.at = list_grow(b->of.at, &b->of.room, b->of.n + n, 1);
    b->of.n += n;
    return &b->of.at[b->of.n - n];
}

void view_bytes_put(struct view_bytes *b, uint64_t value, size_t n)
{
    uint8_t *to = view_bytes_more(b, n);
    for (size_t i = 0; i < n; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static void put_double(struct view_bytes *b, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    view_bytes_put(b, bits, sizeof bits);
}

/* A column of a list: `item` is the record of a row. */
#define COLUMN(b, list, bytes, value)                                                              \
    for (size_t i_ = 0; i_ < (list).n; i_++) {                                                     \
        __typeof__((list).at) item = &(list).at[i_];                                               \
        view_bytes_put(b, value, bytes);                                                           \
    }
#define COLUMN_OF_DOUBLES(b, list, value)                                                          \
    for (size_t i_ = 0; i_ < (list).n; i_++) {                                                     \
        __typeof__((list).at) item = &(list).at[i_];                                               \
        put_double(b, value);                                                                      \
    }

static double time_of(uint64_t time)
{
    return time == NO_TIME ? NAN : (double)time;
}

/* ---- the pyramid ---- */

enum { NO_REGION = 0xffff, LATE_REGION = 0xfffe };

/* Cells of a level, of rows and then of groups. */
struct level {
    const struct view *v;
    size_t at; /* in the cells of a row */
    uint32_t n;
};

/* What is written of all cells, before the next of these: its bytes. */
enum plane { REGION, BYTES, SHARE, WAITING, OFF, DEPTH, PLANES };
static const unsigned plane_bytes[PLANES] = {2, 2, 1, 1, 1, 1};

static unsigned region_of(const struct view_numbers *n, const struct view_cell *cell)
{
    uint32_t number = cell->region == NIL ? NIL : view_numbers_region(n, cell->region);
    return cell->region == NIL ? NO_REGION : number < LATE_REGION ? number : LATE_REGION;
}

static void put_word(uint8_t *to, unsigned value)
{
    to[0] = (uint8_t)value;
    to[1] = (uint8_t)(value >> 8);
}

/* What is written of the cell that is the number `at` of its level. */
static void put_cell(uint8_t *const to[PLANES], size_t at, const struct view_numbers *n,
                     const struct view_cell *cell)
{
    put_word(&to[REGION][2 * at], region_of(n, cell));
    put_word(&to[BYTES][2 * at], cell->bytes);
    to[SHARE][at] = cell->share;
    to[WAITING][at] = cell->waiting;
    to[OFF][at] = cell->off;
    to[DEPTH][at] = cell->depth;
}

/* The cells of rows, then of groups. */
static const struct view_cell **cells_of(const struct level *l, size_t all)
{
    size_t room = 0;
    const struct view_cell **cells = /* NOLINTNEXTLINE(bugprone-sizeof-expression): pointers */
        list_grow(NULL, &room, all ? all : 1, sizeof *cells);
    for (size_t i = 0; i < l->v->rows.n; i++)
        cells[i] = &l->v->rows.at[i].cells[l->at];
    for (size_t i = 0; i < l->v->groups.n; i++) {
        const struct view_group *group = &l->v->groups.at[i];
        if (group->cells_at != NIL)
            cells[l->v->rows.n + group->cells_at] = &group->cells[l->at];
    }
    return cells;
}

static void put_level(struct view_bytes *b, const struct level *l, const struct view_numbers *n)
{
    size_t all = l->v->rows.n + l->v->n_group_cells;
    const struct view_cell **cells = cells_of(l, all);
    uint8_t *to[PLANES];
    for (enum plane plane = REGION; plane < PLANES; plane++)
        (void)view_bytes_more(b, all * l->n * plane_bytes[plane]);
    uint8_t *end = b->of.at + b->of.n;
    for (enum plane plane = PLANES; plane-- > REGION;)
        to[plane] = end -= all * l->n * plane_bytes[plane];
    for (size_t which = 0; which < all; which++)
        for (size_t i = 0; i < l->n; i++)
            put_cell(to, which * l->n + i, n, &cells[which][i]);
    free(cells);
}

void view_data_pyramid(struct view_bytes *b, const struct view *v, const struct view_numbers *n,
                       unsigned left_out)
{
    size_t end = view_pyramid_cells(&v->shape);
    for (unsigned k = v->shape.levels; k-- > left_out;) {
        uint32_t buckets = v->shape.n >> k;
        end -= buckets;
        struct level level = {v, end, buckets};
        put_level(b, &level, n);
    }
}

/* ---- sums ---- */

void view_data_paths(struct view_bytes *b, const struct view_part *p, const struct view_numbers *n)
{
    const struct view_path *all = p->paths.all.at;
    COLUMN(b, n->paths, 4, all[*item].parent == NIL ? NIL : n->path[all[*item].parent])
    COLUMN(b, n->paths, 4, view_numbers_region(n, all[*item].region))
    COLUMN(b, n->paths, 4, all[*item].kind)
}

void view_data_sums(struct view_bytes *b, const struct view_part *p, const struct view_numbers *n)
{
    COLUMN_OF_DOUBLES(b, p->sums.all, (double)item->value)
    COLUMN_OF_DOUBLES(b, p->sums.all, (double)item->n)
    COLUMN(b, p->sums.all, 4, item->a)
    COLUMN(b, p->sums.all, 4, item->bucket)
    COLUMN(b, p->sums.all, 4, n->path[item->b])
    COLUMN(b, p->sums.all, 4, item->samples)
}

void view_data_pairs(struct view_bytes *b, const struct view_part *p)
{
    COLUMN_OF_DOUBLES(b, p->pairs.all, (double)item->value)
    COLUMN(b, p->pairs.all, 4, item->bucket)
    COLUMN(b, p->pairs.all, 4, item->a)
    COLUMN(b, p->pairs.all, 4, item->b)
    COLUMN(b, p->pairs.all, 4, (uint32_t)item->n)
}

/* ---- what is exact ---- */

void view_data_calls(struct view_bytes *b, const struct view_exact *e, const struct view_numbers *n)
{
    COLUMN_OF_DOUBLES(b, e->calls, (double)item->begin)
    COLUMN_OF_DOUBLES(b, e->calls, (double)item->end)
    COLUMN_OF_DOUBLES(b, e->calls, (double)item->calls)
    COLUMN(b, e->calls, 4, item->row)
    COLUMN(b, e->calls, 4, n->path[item->path])
    COLUMN(b, e->calls, 4, item->depth)
    COLUMN(b, e->calls, 4, item->flags)
}

void view_data_messages(struct view_bytes *b, const struct view_exact *e,
                        const struct view_numbers *n)
{
    COLUMN_OF_DOUBLES(b, e->messages, time_of(item->sent))
    COLUMN_OF_DOUBLES(b, e->messages, time_of(item->received))
    COLUMN_OF_DOUBLES(b, e->messages, (double)item->bytes)
    COLUMN(b, e->messages, 4, item->from)
    COLUMN(b, e->messages, 4, item->to)
    COLUMN(b, e->messages, 4, item->tag)
    COLUMN(b, e->messages, 4, n->comm[item->comm])
}

void view_data_collectives(struct view_bytes *b, const struct view_exact *e,
                           const struct view_numbers *n)
{
    COLUMN_OF_DOUBLES(b, e->collectives, (double)item->begin)
    COLUMN_OF_DOUBLES(b, e->collectives, (double)item->end)
    COLUMN_OF_DOUBLES(b, e->collectives, (double)item->sent)
    COLUMN_OF_DOUBLES(b, e->collectives, (double)item->received)
    COLUMN(b, e->collectives, 4, item->row)
    COLUMN(b, e->collectives, 4, item->op)
    COLUMN(b, e->collectives, 4, n->comm[item->comm])
    COLUMN(b, e->collectives, 4, item->root)
}

void view_data_samples(struct view_bytes *b, const struct view_exact *e,
                       const struct view_numbers *n)
{
    COLUMN_OF_DOUBLES(b, e->samples, (double)item->time)
    COLUMN(b, e->samples, 4, item->row) COLUMN(b, e->samples, 4, n->path[item->path])
}

void view_data_idle(struct view_bytes *b, const struct view_exact *e){
    COLUMN_OF_DOUBLES(b, e->idle, (double)item->begin)
        COLUMN_OF_DOUBLES(b, e->idle, (double)item->end) COLUMN(b, e->idle, 4, item->row)}

/* ---- counters ---- */

size_t view_data_points(const struct view_curve *curve)
{
    return curve->stretches.n * (curve->each > 1 ? 2 : 1);
}

/* The first and the second point of a stretch, by their times. */
static const struct view_point *point(const struct view_stretch *s, unsigned which)
{
    bool is_least_first = s->least.time <= s->greatest.time;
    return is_least_first == !which ? &s->least : &s->greatest;
}

void view_data_counters(struct view_bytes *b, const struct view_counters *c)
{
    for (unsigned column = 0; column < 2; column++)
        for (size_t i = 0; i < c->curves.n; i++)
            for (size_t k = 0; k < view_data_points(&c->curves.at[i]); k++) {
                const struct view_curve *curve = &c->curves.at[i];
                unsigned per = curve->each > 1 ? 2 : 1;
                const struct view_point *at =
                    point(&curve->stretches.at[k / per], (unsigned)(k % per));
                put_double(b, column ? at->value : (double)at->time);
            }
}
