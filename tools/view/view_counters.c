/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_counters.h"

#include <stdlib.h>

enum { CURVE_MAX = 8192, CURVE_LEAST = 16, STRETCHES_MAX = 2 << 20 };

void view_counters_init(struct view_counters *c, const struct view *v)
{
    size_t curves = v->rows.n * v->defs.members.n;
    *c = (struct view_counters){.most = STRETCHES_MAX / (curves ? curves : 1)};
    c->most = c->most > CURVE_MAX ? CURVE_MAX : c->most < CURVE_LEAST ? CURVE_LEAST : c->most;
}

void view_counters_clear(struct view_counters *c)
{
    for (size_t i = 0; i < c->curves.n; i++) {
        const struct view_curve *curve = &c->curves.at[i];
        map_remove(&c->curve_of, curve->row, curve->member);
        free(curve->stretches.at);
    }
    c->curves.n = 0;
}

void view_counters_free(struct view_counters *c)
{
    free(c->curves.at);
    free(c->curve_of.slots);
}

static void widen(struct view_stretch *to, const struct view_stretch *by)
{
    if (by->least.value < to->least.value)
        to->least = by->least;
    if (by->greatest.value > to->greatest.value)
        to->greatest = by->greatest;
}

/* Two stretches become one. */
static void halve(struct view_curve *curve)
{
    size_t n = 0;
    for (size_t i = 0; i < curve->stretches.n; i++) {
        if (i % 2)
            widen(&curve->stretches.at[n - 1], &curve->stretches.at[i]);
        else
            curve->stretches.at[n++] = curve->stretches.at[i];
    }
    if (curve->stretches.n % 2 == 0)
        curve->n += curve->each;
    curve->stretches.n = n;
    curve->each *= 2;
}

void view_counters_add(struct view_counters *c, uint32_t row, uint32_t member, uint64_t time,
                       double value)
{
    uint32_t index = map_index(&c->curve_of, row, member, c->curves.n);
    if (index == c->curves.n)
        *LIST_ADD(&c->curves) = (struct view_curve){.row = row, .member = member, .each = 1};
    struct view_curve *curve = &c->curves.at[index];
    struct view_stretch now = {{time, value}, {time, value}};
    curve->last = now.least;
    if (curve->stretches.n && curve->n < curve->each) {
        widen(&curve->stretches.at[curve->stretches.n - 1], &now);
        curve->n++;
        return;
    }
    *LIST_ADD(&curve->stretches) = now;
    curve->n = 1;
    if (curve->stretches.n > c->most)
        halve(curve);
}

void view_counters_join(struct view_counters *c, const struct view_counters *other)
{
    for (size_t i = 0; i < other->curves.n; i++)
        *LIST_ADD(&c->curves) = other->curves.at[i];
}

static int by_row(const void *x, const void *y)
{
    const struct view_curve *p = x;
    const struct view_curve *q = y;
    ORDER(p->row, q->row);
    return (p->member > q->member) - (p->member < q->member);
}

static size_t points(const struct view_counters *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->curves.n; i++)
        n += c->curves.at[i].stretches.n * (c->curves.at[i].each > 1 ? 2 : 1);
    return n;
}

void view_counters_finish(struct view_counters *c, size_t most)
{
    LIST_SORT(&c->curves, by_row);
    while (points(c) > most && c->curves.n && 2 * c->curves.n < most) {
        size_t longest = 0;
        for (size_t i = 0; i < c->curves.n; i++)
            if (c->curves.at[i].stretches.n > longest)
                longest = c->curves.at[i].stretches.n;
        for (size_t i = 0; i < c->curves.n; i++)
            if (c->curves.at[i].stretches.n > longest / 2 && longest > 1)
                halve(&c->curves.at[i]);
    }
}
