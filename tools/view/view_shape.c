/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/view/view_findings.h"

enum {
    ROWS_MAX = 20000,
    EVENTS_WHOLE = 1500000,     /* so many are shown as they were */
    EVENTS_AT_END = 150000,     /* else so many at the begin and the end */
    EVENTS_OF_FINDING = 300000, /* and at each finding */
    MUCH_SHORTER = 64,
};

/* ---- which locations ---- */

void view_shape_choose(struct view *v)
{
    size_t n = 0;
    size_t all = v->defs.locations.n;
    v->is_chosen = archive_choice(&v->archive, v->wish.locations);
    for (size_t i = 0; i < all; i++) {
        v->is_chosen[i] = v->is_chosen[i] && n < ROWS_MAX;
        n += v->is_chosen[i];
    }
    if (!v->wish.locations && all > ROWS_MAX)
        *LIST_ADD(&v->remarks) =
            make_text("only the first %d of %zu locations are here; --location shows others",
                      ROWS_MAX, all);
}

/* ---- buckets ---- */

static uint32_t finest(const struct view *v)
{
    size_t rows = v->rows.n + v->n_group_cells;
    uint32_t n = FINEST_MAX;
    while (n > COARSEST && ((size_t)n * 2 * rows > CELLS_MAX || n / 2 > v->duration))
        n /= 2;
    return n;
}

static void add_window(struct view *v, uint32_t row, uint64_t from, uint64_t to)
{
    *LIST_ADD(&v->windows) = (struct view_window){row, from, to < v->duration ? to : v->duration};
}

static uint64_t wished(double seconds, uint64_t most)
{
    double ns = seconds * 1e9;
    return ns < (double)most ? (uint64_t)llround(ns) : most;
}

/* How long a window with so many events is, if they are as dense everywhere. */
static uint64_t length_of(const struct view *v, double events)
{
    double part = v->n_events ? events / (double)v->n_events : 0.0;
    return (uint64_t)fmin((double)v->duration, (double)v->duration * part);
}

static void add_windows(struct view *v)
{
    /* A finding may be about the whole trace: one may not take the room of all. */
    uint64_t most = length_of(v, EVENTS_OF_FINDING);
    v->windows.n = 0;
    if (v->is_whole)
        return;
    if (v->wish.has_window)
        add_window(v, NIL, wished(v->wish.from, v->duration), wished(v->wish.to, v->duration));
    for (size_t i = 0; i < view_findings_n(v); i++) {
        const struct view_finding *f = view_findings_at(v, i);
        if (f->rows.n)
            add_window(v, NIL, f->from, f->to - f->from > most ? f->from + most : f->to);
    }
    uint64_t length = length_of(v, EVENTS_AT_END);
    length = length < 1000000000 ? length : 1000000000;
    add_window(v, NIL, 0, length);
    add_window(v, NIL, v->duration - length, v->duration);
}

void view_shape_page(struct view *v)
{
    v->duration = view_ns(v, v->start + v->length);
    uint32_t n = finest(v);
    v->shape = (struct view_shape){.bucket = v->duration / n + 1, .n = n, .levels = 1};
    while (n >> v->shape.levels >= COARSEST)
        v->shape.levels++;
    v->shape.stride = n > SUMS_BUCKETS ? n / SUMS_BUCKETS : 1;
    add_windows(v);
}

void view_shape_text(struct view *v, uint32_t columns)
{
    v->duration = view_ns(v, v->start + v->length);
    uint64_t from = v->wish.has_window ? wished(v->wish.from, v->duration) : 0;
    uint64_t to = v->wish.has_window ? wished(v->wish.to, v->duration) : v->duration;
    v->is_whole = false;
    v->windows.n = 0;
    v->shape = (struct view_shape){.from = from,
                                   .bucket = (to - from) / columns + 1,
                                   .n = columns,
                                   .levels = 1,
                                   .stride = columns};
}

/* ---- when the clock's definition is not true ---- */

bool view_shape_correct(struct view *v, const struct view_part *p)
{
    uint64_t span = p->last - p->first;
    if (p->first > p->last)
        return false;
    bool is_late = p->first > v->start && (p->first - v->start) / MUCH_SHORTER > span;
    bool is_short = p->last >= v->start && v->length / MUCH_SHORTER > p->last - v->start;
    if (p->first >= v->start && p->last - v->start <= v->length && !is_late && !is_short)
        return false;
    if (is_late || p->first < v->start)
        v->start = p->first;
    v->length = p->last - v->start;
    return true;
}
