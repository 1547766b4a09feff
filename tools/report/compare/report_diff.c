/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/report_diff.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/quantity.h"

/* What all tables have behind the names. */
#define CHANGE_COLUMNS(what, shown, of)                                                            \
    {"change", "change", UNIT_CHANGE, EVERYWHERE, what ": `after` - `before`"},                    \
        {"change_percent", "change %", UNIT_CHANGE_PERCENT, EVERYWHERE,                            \
         "`change` in percent of `before`; null: it was not there"},                               \
        {"size", "", UNIT_SECONDS, DATA_ONLY, "`change` without its sign; rows are sorted by it"}, \
        {"before", "before", UNIT_SECONDS, EVERYWHERE, what ", first archive; median of several"}, \
        {"after", "after", UNIT_SECONDS, EVERYWHERE, what ", second archive; median of several"},  \
        {"noise", "noise", UNIT_TEXT, UNLESS_SAME,                                                 \
         "`outside`: all values of one side are above all of the other; `inside`: they are not; "  \
         "null: no repeats"},                                                                      \
        {"calls_before", "calls before", UNIT_COUNT, shown, of "; mean of several"},               \
        {"calls_after", "calls after", UNIT_COUNT, shown, of "; mean of several"},                 \
        {"before_min", "", UNIT_SECONDS, DATA_ONLY, "least value of the runs before"},             \
        {"before_max", "", UNIT_SECONDS, DATA_ONLY, "greatest value of the runs before"},          \
        {"after_min", "", UNIT_SECONDS, DATA_ONLY, "least value of the runs after"},               \
    {                                                                                              \
        "after_max", "", UNIT_SECONDS, DATA_ONLY, "greatest value of the runs after"               \
    }

static const struct column of_regions[] = {
    {"region", "region", UNIT_TEXT, EVERYWHERE, "name; regions with the same name count as one"},
    CHANGE_COLUMNS("seconds in the region alone", EVERYWHERE, "of the region"),
};
static const struct column of_processes[] = {
    {"process", "process", UNIT_TEXT, EVERYWHERE, "rank, or name of the location group"},
    {"part", "part", UNIT_TEXT, EVERYWHERE,
     "`work`; `waiting`, for ranks, threads or locks; `MPI, not waiting`; `idle`"},
    CHANGE_COLUMNS("seconds of all its threads", DATA_ONLY, "null"),
};
static const struct column of_callpaths[] = {
    {"callpath", "call path", UNIT_TEXT, EVERYWHERE,
     "the regions from the outermost on, separated by `>`"},
    CHANGE_COLUMNS("seconds in the path alone", EVERYWHERE, "of the path"),
};
static const struct column of_sites[] = {
    {"site", "site", UNIT_TEXT, EVERYWHERE, "where the program makes the call"},
    {"region", "call", UNIT_TEXT, EVERYWHERE, "name of the region that is called"},
    CHANGE_COLUMNS("seconds in the calls", EVERYWHERE, "made there"),
};
static const struct column of_waits[] = {
    {"region", "in", UNIT_TEXT, EVERYWHERE, "name of the region that waits"},
    {"why", "for", UNIT_TEXT, EVERYWHERE,
     "`late sender`, `late receiver`, `collective`, `lock`, `threads`"},
    CHANGE_COLUMNS("seconds of waiting", EVERYWHERE, "of the region"),
};

const struct diff_kind diff_kinds[] = {
    {{"diff", "what --diff shows", COLUMNS(of_regions)},
     {"region", "regions"},
     ROWS_REGIONS,
     false},
    {{"diff_processes", "what --diff --by process shows", COLUMNS(of_processes)},
     {"process", "processes"},
     ROWS_PROCESSES,
     true},
    {{"diff_callpaths", "what --diff --by callpath shows", COLUMNS(of_callpaths)},
     {"callpath", "callpaths"},
     ROWS_CALLPATHS,
     false},
    {{"diff_sites", "what --diff --by sites shows", COLUMNS(of_sites)},
     {"sites", "sites"},
     ROWS_SITES,
     true},
    {{"diff_waits", "what --diff --by waits shows", COLUMNS(of_waits)},
     {"waits", "waits"},
     ROWS_WAITS,
     true},
};

const size_t n_diff_kinds = sizeof diff_kinds / sizeof diff_kinds[0];

/* ---- rows ---- */

/* What was only seen on stacks has time, and calls that nobody counted. */
static void put_calls(struct table *t, const uint64_t *calls, uint32_t n, double seconds,
                      bool has_calls)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < n; i++)
        sum += (double)calls[i];
    ROW(t, has_calls && (sum > 0.0 || seconds == 0.0) ? cell(quantity_whole(round(sum / n)))
                                                      : nothing);
}

static bool is_apart(const struct spread *a, const struct spread *b)
{
    return a->least > b->most || b->least > a->most;
}

static bool put_row(struct table *t, const struct diff_kind *kind, const struct diff *d,
                    const struct row *row)
{
    const struct spread before = spread_of(row->seconds, d->n[0]);
    const struct spread after = spread_of(row->seconds + d->n[0], d->n[1]);
    double change = after.median - before.median;
    bool has_repeats = d->n[0] + d->n[1] > 2;
    bool has_calls = kind->rows != ROWS_PROCESSES;
    ROW(t, row->name);
    if (kind->has_second_name)
        ROW(t, row->of);
    ROW(t, change, 100.0 * change / before.median, fabs(change), before.median, after.median,
        has_repeats ? cell(is_apart(&before, &after) ? "outside" : "inside") : nothing);
    put_calls(t, row->calls, d->n[0], before.median, has_calls);
    put_calls(t, row->calls + d->n[0], d->n[1], after.median, has_calls);
    ROW(t, before.least, before.most, after.least, after.most);
    return has_repeats && is_apart(&before, &after);
}

struct table diff_table(const struct diff_kind *kind, const struct diff *d, const struct wish *wish,
                        size_t *n_outside)
{
    struct table t = table_of(&kind->form);
    struct rows rows = rows_of(kind->rows, d->runs, d->n[0] + d->n[1]);
    size_t outside = 0;
    for (size_t i = 0; i < rows.all.n; i++)
        outside += put_row(&t, kind, d, &rows.all.at[i]);
    rows_free(&rows);
    size_t column = wish->sort ? table_column(&t, wish->sort) : SIZE_MAX;
    table_sort(&t, column == SIZE_MAX ? table_column(&t, "size") : column);
    if (n_outside)
        *n_outside = outside;
    return t;
}

/* ---- the runs ---- */

/* In how many cases one of them has the ranges of n and m equal runs apart. */
static double chance_of(uint32_t n, uint32_t m)
{
    double ways = 1.0;
    for (uint32_t i = 1; i <= n; i++)
        ways = ways * (m + i) / i;
    return ways / 2.0;
}

void diff_head(const struct diff *d, FILE *out)
{
    static const char *const names[] = {"before", "after"};
    char wall[VALUE_BYTES];
    char time[VALUE_BYTES];
    for (uint32_t i = 0; i < d->n[0] + d->n[1]; i++) {
        const struct report *r = d->runs[i];
        fprintf(out, "%s: ", names[i >= d->n[0]]);
        text_clean(r->path, out);
        fprintf(out, ", %s wall, %s of all threads\n",
                seconds_text(wall, defs_seconds(&r->defs, r->last - r->first)),
                seconds_text(time, defs_seconds(&r->defs, r->sums.total)));
    }
    if (d->n[0] + d->n[1] > 2)
        fprintf(out,
                "medians; the values of %u and %u runs that are equal are apart by chance in 1 of "
                "%.3g rows\n",
                d->n[0], d->n[1], chance_of(d->n[0], d->n[1]));
    fputc('\n', out);
}

static void put_paths(const char *key, struct report *const *runs, uint32_t n, FILE *out)
{
    fprintf(out, "  \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        fputs(i ? ", " : "", out);
        json_text(runs[i]->path, out);
    }
    fputs("],\n", out);
}

void diff_json_head(const struct diff *d, FILE *out)
{
    fputs("  \"before\": ", out);
    json_text(d->runs[0]->path, out);
    fputs(",\n  \"after\": ", out);
    json_text(d->runs[d->n[0]]->path, out);
    fputs(",\n", out);
    put_paths("runs_before", d->runs, d->n[0], out);
    put_paths("runs_after", d->runs + d->n[0], d->n[1], out);
}
