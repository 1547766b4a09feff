/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- configurations ---- */

static int by_cpus(const void *a, const void *b)
{
    const struct run *x = a;
    const struct run *y = b;
    ORDER(x->cpus, y->cpus);
    ORDER(x->ranks, y->ranks);
    ORDER(x->threads, y->threads);
    return strcmp(x->report->path, y->report->path);
}

static bool is_repeat(const struct run *x, const struct run *y)
{
    return x->cpus == y->cpus && x->ranks == y->ranks && x->threads == y->threads;
}

static void make_configs(struct comparison *c)
{
    for (size_t i = 0; i < c->runs.n; i++) {
        const struct run *run = &c->runs.at[i];
        if (!i || !is_repeat(run, run - 1))
            *LIST_ADD(&c->configs) = (struct config){.ranks = run->ranks,
                                                     .threads = run->threads,
                                                     .cpus = run->cpus,
                                                     .begin = i};
        c->configs.at[c->configs.n - 1].n++;
    }
}

static void make_figures(struct comparison *c)
{
    double *values = take_memory(c->runs.n * sizeof *values);
    for (size_t i = 0; i < c->runs.n; i++)
        run_scale(&c->runs.at[i], c->runs.at, c->configs.at[0].n, c->is_weak);
    for (size_t i = 0; i < c->configs.n; i++) {
        struct config *k = &c->configs.at[i];
        for (unsigned f = 0; f < FIGURES; f++) {
            for (size_t run = 0; run < k->n; run++)
                values[run] = c->runs.at[k->begin + run].value[f];
            k->figure[f] = spread_of(values, k->n);
        }
    }
    free(values);
}

static void check_programs(const struct comparison *c)
{
    const struct run *known = NULL;
    for (size_t i = 0; i < c->runs.n; i++) {
        const struct run *run = &c->runs.at[i];
        if (known && *run->program && strcmp(run->program, known->program) != 0)
            fail("%s is a run of %s, %s one of %s; --any-program compares them all the same",
                 known->report->path, known->program, run->report->path, run->program);
        known = !known && *run->program ? run : known;
    }
}

struct comparison compare_runs(struct report *const *reports, size_t n, bool is_weak,
                               bool takes_any)
{
    struct comparison c = {.is_weak = is_weak};
    struct report **sorted = take_memory(n * sizeof(void *));
    for (size_t i = 0; i < n; i++)
        *LIST_ADD(&c.runs) = run_of(reports[i]);
    if (!takes_any)
        check_programs(&c);
    LIST_SORT(&c.runs, by_cpus);
    for (size_t i = 0; i < n; i++)
        sorted[i] = c.runs.at[i].report;
    make_configs(&c);
    make_figures(&c);
    c.rows = rows_of(ROWS_FRAMED, sorted, (uint32_t)n);
    c.stops = compare_stops(&c);
    free(sorted);
    return c;
}

struct report *compare_last(const struct comparison *c)
{
    const struct config *last = &c->configs.at[c->configs.n - 1];
    struct report *middle = c->runs.at[last->begin].report;
    double least = INFINITY;
    for (size_t i = last->begin; i < last->begin + last->n; i++) {
        double away =
            fabs(c->runs.at[i].value[FIGURE_RUNTIME] - last->figure[FIGURE_RUNTIME].median);
        if (away < least) {
            least = away;
            middle = c->runs.at[i].report;
        }
    }
    return middle;
}

double compare_seconds(const struct comparison *c, const struct row *row, const struct config *k)
{
    double median = spread_of(&row->seconds[k->begin], k->n).median;
    return c->is_weak ? median / (double)k->cpus : median;
}
