/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-report [OPTION]... ARCHIVE...: an archive as a profile, or several side by side. See
 * report.h for its parts, and docs/report.md for the shape of its JSON.
 *
 * Status: 0; 1 when the archive, or a part of it, could not be read; 2 for wrong use.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/archive.h"
#include "tools/base/options.h"
#include "tools/engine/engine.h"
#include "tools/report/compare/compare.h"
#include "tools/report/compare/report_diff.h"
#include "tools/report/read/report_read.h"
#include "tools/report/report_because.h"
#include "tools/report/report_digest.h"
#include "tools/report/report_filter.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_head.h"
#include "tools/report/report_hints.h"
#include "tools/report/report_options.h"
#include "tools/report/report_picture.h"

enum { DEFAULT_ROWS = 12, DEFAULT_PATHS = 1000 };

/* They live as long as the process. */
static struct report **reports;

/* ---- which locations ---- */

static bool is_process(const struct report *r, uint32_t index, const char *wanted)
{
    const struct process *p = &r->defs.processes.at[index];
    char number[24];
    snprintf(number, sizeof number, "%u", p->rank == NIL ? index : p->rank);
    return !strcmp(number, wanted) || !strcmp(defs_text(&r->defs, p->name), wanted) ||
           !strcmp(defs_process_name(&r->defs, index), wanted);
}

static bool is_thread(const struct report *r, uint32_t index, const char *wanted)
{
    const struct location *l = &r->defs.locations.at[index];
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)l->id);
    return !strcmp(number, wanted) || !strcmp(defs_text(&r->defs, l->name), wanted);
}

static void choose_locations(struct report *r, const void *user)
{
    const struct options *o = user;
    size_t room = 0;
    size_t n = 0;
    r->is_selected = list_grow(NULL, &room, r->defs.locations.n + 1, sizeof *r->is_selected);
    for (uint32_t i = 0; i < r->defs.locations.n; i++) {
        r->is_selected[i] =
            (!o->process || is_process(r, r->defs.locations.at[i].process, o->process) ||
             is_process(r, defs_owner(&r->defs, i), o->process)) &&
            (!o->thread || is_thread(r, i, o->thread));
        n += r->is_selected[i];
    }
    r->is_part = n < r->defs.locations.n;
    if (!n && (o->process || o->thread))
        options_wrong("%s has no %s %s%s%s", r->path, o->process ? "process" : "thread",
                      o->process ? o->process : o->thread,
                      o->process && o->thread ? ", thread " : "",
                      o->process && o->thread ? o->thread : "");
}

/* ---- text ---- */

/* Its rows are processes or threads, which may be many. */
static bool has_row_of_each(const struct section *section)
{
    return section == &section_processes || section == &section_threads ||
           section == &section_mpi_processes;
}

static void print_section(struct report *r, const struct section *section, const struct wish *wish,
                          bool is_asked_for)
{
    const char *rest = "";
    struct table t = section_table(section, r, wish);
    bool has_title = wish->look.has_headings;
    if (!table_rows(&t) && !is_asked_for)
        return;
    if (has_row_of_each(section) && !is_asked_for && !wish->sort && table_rows(&t) > wish->top) {
        struct table digest = digest_table(&t, wish->top);
        free(t.cells.at);
        t = digest;
        rest = make_text(": --by %s", section->form.key);
    }
    table_cut(&t, wish->top);
    if (has_title)
        printf("\n%s%s%s\n", wish->look.has_color ? "\033[1m" : "", section->title,
               wish->look.has_color ? "\033[0m" : "");
    if (table_rows(&t))
        table_text(&t, &wish->look, stdout);
    else if (has_title)
        puts("  nothing recorded");
    if (t.left_out && has_title)
        printf("  ... and %zu more%s\n", t.left_out, rest);
    if (section->also && has_title)
        section->also(r, &wish->look, stdout);
    free(t.cells.at);
}

static void print_text(struct report *r, const struct options *o)
{
    struct wish wish = o->wish;
    struct findings found = {0};
    wish.is_brief = !o->has_choice;
    if (!o->has_choice && !o->has_top)
        wish.top = DEFAULT_ROWS;
    if (wish.look.has_headings) {
        found = findings_of(r, o->n_findings);
        head_text(r, &found, &wish.look, stdout);
    }
    for (size_t i = 0; i < n_sections; i++)
        if (o->has_choice ? o->is_chosen[i] : section_is_shown(sections[i], r))
            print_section(r, sections[i], &wish, o->has_choice);
    if (wish.look.has_headings) {
        picture_text(r, &found, o->paths[0], stdout);
        hints_text(r, &found, stdout);
    }
}

/* ---- data ---- */

static void print_csv(struct report *r, const struct options *o)
{
    size_t which = 0;
    for (size_t i = 0; i < n_sections; i++)
        if (o->is_chosen[i] || (!o->has_choice && !strcmp(sections[i]->form.key, "regions")))
            which = i;
    struct table t = section_table(sections[which], r, &o->wish);
    table_cut(&t, o->wish.top);
    table_csv(&t, o->wish.look.has_headings, stdout);
    free(t.cells.at);
}

static void print_json(struct report *r, const struct options *o)
{
    const char *comma = "";
    size_t left_out = 0;
    struct wish paths = o->wish;
    if (!o->has_top)
        paths.top = DEFAULT_PATHS;
    puts("{\n  \"spur_report\": 1,");
    head_json(r, o->n_findings, stdout);
    fputs("  \"sections\": {", stdout);
    for (size_t i = 0; i < n_sections; i++) {
        if (o->has_choice && !o->is_chosen[i])
            continue;
        const struct wish *wish = sections[i] == &section_callpaths ? &paths : &o->wish;
        struct table t = section_table(sections[i], r, wish);
        table_cut(&t, wish->top);
        left_out += sections[i] == &section_callpaths ? t.left_out : 0;
        printf("%s\n    \"%s\": ", comma, sections[i]->form.key);
        table_json(&t, stdout);
        comma = ",";
        free(t.cells.at);
    }
    printf("\n  },\n  \"callpaths_left_out\": %zu\n}\n", left_out);
}

/* ---- several archives ---- */

static void diff_text(const struct diff *d, const struct diff_kind *kind, const struct options *o)
{
    size_t n_outside;
    struct table t = diff_table(kind, d, &o->wish, &n_outside);
    size_t n = table_rows(&t);
    bool has_headings = o->wish.look.has_headings;
    table_cut(&t, o->wish.top);
    if (n)
        table_text(&t, &o->wish.look, stdout);
    else if (has_headings)
        puts("  nothing recorded");
    if (t.left_out && has_headings)
        printf("  ... and %zu more\n", t.left_out);
    if (n && d->n[0] + d->n[1] > 2 && has_headings)
        printf("  %zu of %zu rows are outside of the noise\n", n_outside, n);
    free(t.cells.at);
}

static void diff_data(const struct diff *d, const struct diff_kind *kind, const struct options *o)
{
    struct table t = diff_table(kind, d, &o->wish, NULL);
    table_cut(&t, o->wish.top);
    if (o->form == FORM_CSV) {
        table_csv(&t, o->wish.look.has_headings, stdout);
    } else {
        printf("\n    \"%s\": ", kind->form.key);
        table_json(&t, stdout);
    }
    free(t.cells.at);
}

static void print_diff(const struct diff *d, const struct options *o)
{
    const char *between = "";
    if (o->form == FORM_JSON) {
        fputs("{\n  \"spur_report\": 1,\n", stdout);
        diff_json_head(d, stdout);
        fputs("  \"sections\": {", stdout);
    } else if (o->form == FORM_TEXT && o->wish.look.has_headings) {
        diff_head(d, stdout);
    }
    for (size_t i = 0; i < n_diff_kinds; i++) {
        if (!o->is_diff_chosen[i])
            continue;
        fputs(between, stdout);
        between = o->form == FORM_JSON ? "," : "\n";
        (o->form == FORM_TEXT ? diff_text : diff_data)(d, &diff_kinds[i], o);
    }
    if (o->form == FORM_JSON)
        puts("\n  }\n}");
}

static void print_comparison(const struct options *o)
{
    static void (*const print[])(const struct comparison *, const struct wish *, FILE *) = {
        [FORM_TEXT] = compare_text,
        [FORM_CSV] = compare_csv,
        [FORM_JSON] = compare_json,
    };
    struct comparison c = compare_runs(reports, o->n_paths, o->is_weak, o->takes_any);
    if (c.configs.n > 1)
        c.stops = make_text("%s%s", c.stops,
                            because_of_all(compare_last(&c), c.configs.at[c.configs.n - 1].cpus));
    struct wish wish = o->wish;
    if (o->form == FORM_TEXT && !o->has_top)
        wish.top = DEFAULT_ROWS;
    print[o->form](&c, &wish, stdout);
}

/* ---- all of it ---- */

/* A table as CSV has no findings, and mostly nothing else of a replay. */
static bool shows_causes(const struct options *o)
{
    bool does = o->form != FORM_CSV;
    for (size_t i = 0; i < n_sections; i++)
        does |= o->is_chosen[i] &&
                (sections[i] == &section_causes || sections[i] == &section_critical_regions ||
                 sections[i] == &section_critical_processes || sections[i] == &section_iterations);
    return does;
}

static int load(struct report *r, const char *path, const struct options *o, bool goes_on)
{
    bool has_none = o->others.n || o->filter;
    struct report_how how = {.has_progress = true,
                             .from = o->from,
                             .to = o->to,
                             .has_no_causes =
                                 has_none || (o->has_causes && !o->causes) || !shows_causes(o),
                             .has_no_iterations = o->n_paths > 1,
                             .budget = o->causes,
                             .workers = o->threads,
                             .goes_on = goes_on,
                             .is_verbose = o->is_verbose,
                             .choose = choose_locations,
                             .user = o};
    report_read(r, path, &how);
    r->is_wide = o->wish.look.width == SIZE_MAX;
    sums_make(r);
    if (!r->trouble)
        return 0;
    fflush(stdout);
    archive_say_part(path, r->trouble, "reported");
    return 1;
}

int main(int argc, char **argv)
{
    (void)argc;
    static void (*const print[])(struct report *, const struct options *) = {
        [FORM_TEXT] = print_text,
        [FORM_CSV] = print_csv,
        [FORM_JSON] = print_json,
    };
    engine_start();
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct options *o = report_options(argv + 1);
    size_t n = o->n_paths + o->others.n;
    int status = 0;
    reports = take_memory(n * sizeof(void *));
    for (size_t i = 0; i < n; i++) {
        reports[i] = take_memory(sizeof *reports[i]);
        status |= load(reports[i], i < o->n_paths ? o->paths[i] : o->others.at[i - o->n_paths], o,
                       i + 1 < n);
    }
    struct diff diff = {reports, {(uint32_t)o->n_paths, (uint32_t)o->others.n}};
    if (o->others.n)
        print_diff(&diff, o);
    else if (n > 1)
        print_comparison(o);
    else if (o->filter)
        filter_suggest(reports[0], o->filter, stdout);
    else
        print[o->form](reports[0], o);
    return status;
}
