/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as text, CSV and JSON. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/compare/compare.h"

/* ---- tables ---- */

static const struct column columns_scaling[] = {
    {"ranks", "ranks", UNIT_COUNT, EVERYWHERE, "ranks of the configuration; 1: no MPI"},
    {"threads", "threads", UNIT_COUNT, EVERYWHERE,
     "threads of each rank; null: ranks differ in that"},
    {"cpus", "CPUs", UNIT_COUNT, EVERYWHERE, "threads of all ranks together"},
    {"runs", "runs", UNIT_COUNT, EVERYWHERE, "number of runs of this configuration"},
    {"figure", "figure", UNIT_TEXT, EVERYWHERE, "name, as in the list of figures"},
    {"value", "value", UNIT_NUMBER, EVERYWHERE, "median of the runs; null: not known"},
    {"min", "min", UNIT_NUMBER, EVERYWHERE, "least value of a run"},
    {"max", "max", UNIT_NUMBER, EVERYWHERE, "greatest value of a run"},
};
const struct table_form scaling_form = {"scaling", "several archives: their efficiencies",
                                        COLUMNS(columns_scaling)};

static const struct column columns_growth[] = {
    {"region", "region", UNIT_TEXT, EVERYWHERE, "name; regions with the same name count as one"},
    {"paradigm", "", UNIT_TEXT, DATA_ONLY, "`MPI`, `OPENMP`, ...; `program`: outside of regions"},
    {"change", "change", UNIT_CHANGE, EVERYWHERE, "`last` - `first`; rows are sorted by it"},
    {"first", "first", UNIT_SECONDS, EVERYWHERE,
     "seconds in the region alone with the fewest CPUs, in the time that the figures cover; with "
     "--weak by CPU; median of the runs"},
    {"last", "last", UNIT_SECONDS, EVERYWHERE, "the same with the most CPUs"},
};
const struct table_form growth_form = {
    "growth", "several archives: what grows from the fewest CPUs to the most",
    COLUMNS(columns_growth)};

struct table scaling_table(const struct comparison *c)
{
    struct table t = table_of(&scaling_form);
    for (size_t i = 0; i < c->configs.n; i++)
        for (unsigned f = 0; f < FIGURES; f++) {
            const struct config *k = &c->configs.at[i];
            ROW(&t, k->ranks, k->threads ? cell(k->threads) : nothing, k->cpus, k->n,
                figure_rows[f].key, k->figure[f].median, k->figure[f].least, k->figure[f].most);
        }
    return t;
}

struct table growth_table(const struct comparison *c)
{
    struct table t = table_of(&growth_form);
    const struct config *first = &c->configs.at[0];
    const struct config *last = &c->configs.at[c->configs.n - 1];
    for (size_t i = 0; i < c->rows.all.n && c->configs.n > 1; i++) {
        const struct row *row = &c->rows.all.at[i];
        double before = compare_seconds(c, row, first);
        double after = compare_seconds(c, row, last);
        ROW(&t, row->name, row->of, after - before, before, after);
    }
    table_sort(&t, table_column(&t, "change"));
    return t;
}

/* ---- text: a figure is a line, a configuration a column ---- */

enum { TITLE_COLUMNS = 36 };

static const char *value_of(enum figure_form form, double value)
{
    char text[VALUE_BYTES];
    if (!isfinite(value))
        return "-";
    if (form == FORM_IS_SECONDS)
        return copy_text(seconds_text(text, value));
    return make_text(form == FORM_IS_SHARE || form == FORM_IS_SCALE ? "%.1f" : "%.3f", value);
}

/* The value, and behind it the range of the runs. */
static const char *cell_of(const struct config *k, enum figure f)
{
    enum figure_form form = figure_rows[f].form;
    const struct spread *s = &k->figure[f];
    if (s->n < 2)
        return value_of(form, s->median);
    return make_text("%s (%s-%s)", value_of(form, s->median), value_of(form, s->least),
                     value_of(form, s->most));
}

static const char *head_of(const struct config *k)
{
    const char *shape =
        k->threads ? make_text("%u x %u", k->ranks, k->threads) : make_text("%u x ?", k->ranks);
    return k->n > 1 ? make_text("%s, %zu runs", shape, k->n) : shape;
}

static unsigned depth_of(enum figure f)
{
    unsigned depth = 0;
    while ((f = figure_rows[f].parent) != FIGURE_NONE)
        depth++;
    return depth;
}

static bool is_anywhere(const struct comparison *c, enum figure f)
{
    for (size_t i = 0; i < c->configs.n; i++)
        if (c->configs.at[i].figure[f].n)
            return true;
    return false;
}

static size_t width_of(const struct config *k)
{
    size_t width = strlen(head_of(k));
    for (enum figure f = 0; f < FIGURES; f++) {
        size_t n = strlen(cell_of(k, f));
        width = n > width ? n : width;
    }
    return width;
}

/* Configurations from `begin` on, as many as fit into a line; the first that does not. */
static size_t block_text(const struct comparison *c, size_t begin, const struct look *look,
                         FILE *out)
{
    size_t end = begin;
    size_t all = TITLE_COLUMNS;
    for (; end < c->configs.n; end++) {
        all += width_of(&c->configs.at[end]) + 2;
        if (end > begin && all > look->width)
            break;
    }
    if (look->has_headings) {
        fprintf(out, "%-*s", TITLE_COLUMNS, "  ranks x threads");
        for (size_t i = begin; i < end; i++)
            fprintf(out, "  %*s", (int)width_of(&c->configs.at[i]), head_of(&c->configs.at[i]));
        fputc('\n', out);
    }
    for (enum figure f = 0; f < FIGURES; f++) {
        if (!is_anywhere(c, f))
            continue;
        int indent = 2 + 2 * (int)depth_of(f);
        fprintf(out, "%*s%-*s", indent, "", TITLE_COLUMNS - indent, figure_rows[f].title);
        for (size_t i = begin; i < end; i++)
            fprintf(out, "  %*s", (int)width_of(&c->configs.at[i]), cell_of(&c->configs.at[i], f));
        fputc('\n', out);
    }
    return end;
}

/* Why serialisation and transfer are not there. */
static void why_text(const struct comparison *c, FILE *out)
{
    for (size_t i = 0; i < c->runs.n; i++)
        if (c->runs.at[i].no_split && isfinite(c->runs.at[i].value[FIGURE_MPI])) {
            fputs("  no serialisation and transfer of ", out);
            text_clean(c->runs.at[i].report->path, out);
            fprintf(out, ": %s\n", c->runs.at[i].no_split);
        }
}

static void growth_text(const struct comparison *c, const struct wish *wish, FILE *out)
{
    struct table t = growth_table(c);
    if (!table_rows(&t))
        return;
    table_cut(&t, wish->top);
    if (wish->look.has_headings)
        fprintf(out, "\n%sWhat grows%s, seconds of %s\n", wish->look.has_color ? "\033[1m" : "",
                wish->look.has_color ? "\033[0m" : "", c->is_weak ? "a CPU" : "all threads");
    table_text(&t, &wish->look, out);
    if (t.left_out && wish->look.has_headings)
        fprintf(out, "  ... and %zu more\n", t.left_out);
    free(t.cells.at);
}

void compare_text(const struct comparison *c, const struct wish *wish, FILE *out)
{
    if (wish->look.has_headings) {
        fprintf(out, "%zu runs", c->runs.n);
        if (*c->runs.at[0].program) {
            fputs(" of ", out);
            text_clean(c->runs.at[0].program, out);
        }
        fprintf(out, ", %s scaling\n\n", c->is_weak ? "weak" : "strong");
        text_paragraph("", c->stops, wish->look.width, out);
        fputc('\n', out);
    }
    for (size_t i = 0; i < c->configs.n;) {
        if (i)
            fputc('\n', out);
        i = block_text(c, i, &wish->look, out);
    }
    why_text(c, out);
    growth_text(c, wish, out);
}

/* ---- data ---- */

void compare_csv(const struct comparison *c, const struct wish *wish, FILE *out)
{
    struct table t = scaling_table(c);
    table_csv(&t, wish->look.has_headings, out);
    free(t.cells.at);
}

static void put_runs(const struct comparison *c, FILE *out)
{
    for (size_t i = 0; i < c->runs.n; i++) {
        const struct run *run = &c->runs.at[i];
        fputs(i ? ",\n    {\"archive\": " : "    {\"archive\": ", out);
        json_text(run->report->path, out);
        fputs(", \"program\": ", out);
        json_text(run->program, out);
        fprintf(out, ", \"ranks\": %u, \"threads\": ", run->ranks);
        if (run->threads)
            fprintf(out, "%u", run->threads);
        else
            fputs("null", out);
        fprintf(out, ", \"cpus\": %llu, \"no_split\": ", (unsigned long long)run->cpus);
        if (run->no_split)
            json_text(run->no_split, out);
        else
            fputs("null", out);
        fputs("}", out);
    }
}

void compare_json(const struct comparison *c, const struct wish *wish, FILE *out)
{
    struct table scaling = scaling_table(c);
    struct table growth = growth_table(c);
    table_cut(&growth, wish->top);
    fputs("{\n  \"spur_report\": 1,\n  \"compared\": [\n", out);
    put_runs(c, out);
    fprintf(out, "\n  ],\n  \"scaling\": \"%s\",\n  \"stops\": ", c->is_weak ? "weak" : "strong");
    json_text(c->stops, out);
    fputs(",\n  \"sections\": {\n    \"scaling\": ", out);
    table_json(&scaling, out);
    fputs(",\n    \"growth\": ", out);
    table_json(&growth, out);
    fputs("\n  }\n}\n", out);
    free(scaling.cells.at);
    free(growth.cells.at);
}

void compare_describe(FILE *out)
{
    static const char *const units[] = {
        [FORM_IS_SECONDS] = "seconds", [FORM_IS_TIMES] = "factor",  [FORM_IS_NUMBER] = "number",
        [FORM_IS_SHARE] = "percent",   [FORM_IS_SCALE] = "percent",
    };
    static const char *const docs[] = {
#define FIGURE(NAME, key, title, parent, form, doc) [FIGURE_##NAME] = doc,
#include "tools/report/compare/compare_figures.def"
#undef FIGURE
    };
    fputs("\nThe figures:\n\n| figure | unit | factor of | meaning |\n|---|---|---|---|\n", out);
    for (enum figure f = 0; f < FIGURES; f++) {
        enum figure parent = figure_rows[f].parent;
        fprintf(out, "| `%s` | %s | %s | %s |\n", figure_rows[f].key, units[figure_rows[f].form],
                parent == FIGURE_NONE ? "" : make_text("`%s`", figure_rows[parent].key), docs[f]);
    }
}
