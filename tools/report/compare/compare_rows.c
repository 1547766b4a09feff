/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/names.h"
#include "tools/report/compare/compare_framed.h"

/* ---- a run's entries ---- */

static void add(struct rows *rows, uint32_t run, const char *name, const char *of, uint64_t calls,
                double seconds)
{
    *LIST_ADD(&rows->entries) = (struct rows_entry){name, of, seconds, calls, run};
}

static void add_region(struct rows *rows, struct report *r, uint32_t run, uint32_t region,
                       const char *of, double ticks)
{
    const struct region_sum *sum = &r->sums.regions.at[region];
    bool is_own = region < REGIONS_OWN;
    if (sum->is_seen && (!is_own || sum->self))
        add(rows, run, defs_region_name(&r->defs, region), of, is_own ? 0 : sum->calls,
            ticks / (double)r->defs.clock.ticks_per_second);
}

static void add_regions(struct rows *rows, struct report *r, uint32_t run)
{
    for (uint32_t i = 0; i < r->sums.regions.n; i++)
        add_region(rows, r, run, i, "", (double)r->sums.regions.at[i].self);
}

/* With their paradigm, in the time that efficiencies cover; but for regions in which nobody runs.
 */
static void add_framed(struct rows *rows, struct report *r, uint32_t run)
{
    double *ticks = framed_ticks(r);
    for (uint32_t i = 0; i < r->sums.regions.n; i++) {
        const char *paradigm = otf2_enum_name(OTF2_ENUM_Paradigm, r->defs.regions.at[i].paradigm);
        if (i != REGION_IDLE && i != REGION_OFF && ticks[i] > 0.0)
            add_region(rows, r, run, i, i < REGIONS_OWN || !paradigm ? "program" : paradigm,
                       ticks[i]);
    }
    free(ticks);
}

/* The parts of a process are disjoint, and together all time of its threads. */
static void add_processes(struct rows *rows, struct report *r, uint32_t run)
{
    for (uint32_t i = 0; i < r->sums.processes.n; i++) {
        const struct spent *s = &r->sums.processes.at[i];
        const char *name = defs_process_name(&r->defs, i);
        uint64_t waiting = spent_waiting(s);
        uint64_t mpi_waiting =
            s->waits[WAIT_SENDER] + s->waits[WAIT_RECEIVER] + s->waits[WAIT_COLLECTIVE];
        uint64_t mpi = s->mpi > mpi_waiting ? s->mpi - mpi_waiting : 0;
        uint64_t others = s->idle + waiting + mpi;
        if (!s->n_threads)
            continue;
        add(rows, run, name, "work", 0,
            defs_seconds(&r->defs, s->total > others ? s->total - others : 0));
        add(rows, run, name, "MPI, not waiting", 0, defs_seconds(&r->defs, mpi));
        add(rows, run, name, "waiting", 0, defs_seconds(&r->defs, waiting));
        add(rows, run, name, "idle", 0, defs_seconds(&r->defs, s->idle));
    }
}

static const struct section *section_of(const char *key)
{
    for (size_t i = 0; i < n_sections; i++)
        if (!strcmp(sections[i]->form.key, key))
            return sections[i];
    return NULL;
}

/* From a table of the report: its rows, by one or two columns with names. */
static void add_table(struct rows *rows, struct report *r, uint32_t run, const char *key,
                      const char *const columns[4])
{
    const struct wish all = {.top = SIZE_MAX};
    struct table t = section_table(section_of(key), r, &all);
    size_t at[4];
    for (size_t i = 0; i < 4; i++)
        at[i] = columns[i] ? table_column(&t, columns[i]) : SIZE_MAX;
    for (size_t row = 0; row < table_rows(&t); row++) {
        const struct cell *calls = table_cell(&t, row, at[2]);
        const struct cell *seconds = table_cell(&t, row, at[3]);
        add(rows, run, table_cell(&t, row, at[0])->text,
            at[1] == SIZE_MAX ? "" : table_cell(&t, row, at[1])->text,
            calls->kind ? calls->whole : 0, seconds->kind ? seconds->real : 0.0);
    }
    free(t.cells.at);
}

static void add_callpaths(struct rows *rows, struct report *r, uint32_t run)
{
    add_table(rows, r, run, "callpaths", (const char *const[]){"callpath", NULL, "calls", "self"});
}

static void add_sites(struct rows *rows, struct report *r, uint32_t run)
{
    add_table(rows, r, run, "sites", (const char *const[]){"site", "region", "calls", "time"});
}

static void add_waits(struct rows *rows, struct report *r, uint32_t run)
{
    static const char *const why[WAITS] = {
        [WAIT_SENDER] = "late sender",    [WAIT_RECEIVER] = "late receiver",
        [WAIT_COLLECTIVE] = "collective", [WAIT_LOCK] = "lock",
        [WAIT_THREAD] = "threads",
    };
    for (uint32_t i = 0; i < r->sums.regions.n; i++)
        for (unsigned w = 0; w < WAITS; w++)
            if (r->sums.regions.at[i].waits[w])
                add(rows, run, defs_region_name(&r->defs, i), why[w], r->sums.regions.at[i].calls,
                    defs_seconds(&r->defs, r->sums.regions.at[i].waits[w]));
}

/* ---- all runs ---- */

static int by_name(const void *a, const void *b)
{
    const struct rows_entry *x = a;
    const struct rows_entry *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : strcmp(x->of, y->of);
}

static void join(struct rows *rows)
{
    size_t n = rows->entries.n;
    if (n)
        qsort(rows->entries.at, n, sizeof rows->entries.at[0], by_name);
    for (size_t i = 0; i < n;) {
        const struct rows_entry *first = &rows->entries.at[i];
        struct row *row = LIST_ADD(&rows->all);
        *row =
            (struct row){first->name, first->of, take_memory(rows->n_runs * sizeof *row->seconds),
                         take_memory(rows->n_runs * sizeof *row->calls)};
        for (; i < n && !by_name(first, &rows->entries.at[i]); i++) {
            const struct rows_entry *e = &rows->entries.at[i];
            row->seconds[e->run] += e->seconds;
            row->calls[e->run] += e->calls;
        }
    }
}

struct rows rows_of(enum rows_kind kind, struct report *const *runs, uint32_t n)
{
    static void (*const add_all[ROWS_KINDS])(struct rows *, struct report *, uint32_t) = {
        [ROWS_REGIONS] = add_regions,     [ROWS_FRAMED] = add_framed,
        [ROWS_PROCESSES] = add_processes, [ROWS_CALLPATHS] = add_callpaths,
        [ROWS_SITES] = add_sites,         [ROWS_WAITS] = add_waits,
    };
    struct rows rows = {.n_runs = n};
    for (uint32_t i = 0; i < n; i++)
        add_all[kind](&rows, runs[i], i);
    join(&rows);
    return rows;
}

void rows_free(struct rows *rows)
{
    for (size_t i = 0; i < rows->all.n; i++) {
        free(rows->all.at[i].seconds);
        free(rows->all.at[i].calls);
    }
    free(rows->all.at);
    free(rows->entries.at);
}

/* ---- spreads ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

struct spread spread_of(const double *values, size_t n)
{
    struct spread s = {(double)NAN, (double)NAN, (double)NAN, 0};
    double *sorted = take_memory((n + 1) * sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            sorted[s.n++] = values[i];
    if (s.n) {
        qsort(sorted, s.n, sizeof *sorted, by_value);
        s.median = (sorted[s.n / 2] + sorted[(s.n - 1) / 2]) / 2.0;
        s.least = sorted[0];
        s.most = sorted[s.n - 1];
    }
    free(sorted);
    return s;
}
