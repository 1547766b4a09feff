/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/base/options.h"
#include "tools/base/quantity.h"
#include "tools/engine/engine.h"
#include "tools/report/compare/compare.h"
#include "tools/report/report_findings.h"
#include "tools/report/report_schema.h"

static struct options o = {.n_findings = FINDINGS_MOST,
                           .wish = {.top = SIZE_MAX, .look = {.has_headings = true}}};

/* ---- what options do ---- */

static bool choose_section(const char *word)
{
    bool is_known = false;
    for (size_t i = 0; i < n_sections; i++)
        if (!strcmp(word, sections[i]->group) || !strcmp(word, sections[i]->form.key)) {
            o.is_chosen[i] = true;
            is_known = true;
        }
    return is_known;
}

static bool choose_diff(const char *word)
{
    bool is_known = false;
    for (size_t i = 0; i < n_diff_kinds; i++)
        for (size_t k = 0; k < 2; k++)
            if (!strcmp(word, diff_kinds[i].words[k])) {
                o.is_diff_chosen[i] = true;
                is_known = true;
            }
    return is_known;
}

/* Of --by: the groups of tables, then single tables. */
static const char *section_word(size_t i)
{
    return i < n_sections ? sections[i]->group : sections[i - n_sections]->form.key;
}

static const char *diff_word(size_t i)
{
    return diff_kinds[i / 2].words[i % 2];
}

/* Which words --by knows depends on --diff, which may stand behind it. */
static void choose(const char *by)
{
    char *list = copy_text(by);
    char *rest = list;
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ","))
        if (o.others.n && !choose_diff(word))
            options_unknown("--by with --diff", word, diff_word, 2 * n_diff_kinds);
        else if (!o.others.n && !choose_section(word))
            options_unknown("--by", word, section_word, 2 * n_sections);
    o.has_choice = true;
    free(list);
}

/* One archive, or several between commas. */
static void add_others(const char *value)
{
    char *list = copy_text(value);
    if (access(value, F_OK) == 0 || !strchr(value, ',')) {
        *LIST_ADD(&o.others) = list;
        return;
    }
    for (char *word = strsep(&list, ","); word; word = strsep(&list, ","))
        *LIST_ADD(&o.others) = word;
}

static void set_top(const char *value)
{
    uint64_t n = options_number(value);
    o.wish.top = n ? (size_t)n : SIZE_MAX;
    o.has_top = true;
}

static void set_findings(const char *value)
{
    o.n_findings = (size_t)options_number(value);
}

static void set_causes(const char *value)
{
    enum { MIB = 20, MOST = 1 << 20 };
    uint64_t n = options_number(value);
    if (n > MOST)
        options_wrong("--causes wants a number of MiB up to %d, not '%s'", MOST, value);
    o.has_causes = true;
    o.causes = (size_t)n << MIB;
}

static void set_min_percent(const char *value)
{
    char *end;
    o.wish.min_percent = strtod(value, &end);
    if (!*value || *end || !(o.wish.min_percent >= 0.0))
        options_wrong("--min-percent wants a number, not '%s'", value);
}

static void set_time(const char *value)
{
    if (!quantity_window(value, &o.from, &o.to))
        options_wrong("--time wants FROM..TO, as in 1.5..2 or 20ms..21ms, not '%s'", value);
}

static void set_width(const char *value)
{
    enum { LEAST = 40 };
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (!*value || *end || value[0] == '-' || n < LEAST || n > UINT16_MAX)
        options_wrong("--width wants a number of columns, %d or more, not '%s'", LEAST, value);
    o.wish.look.width = n;
}

static void set_wide(const char *value)
{
    (void)value;
    o.wish.look.width = SIZE_MAX;
}

/* Some launchers give each rank a terminal of their own. */
static bool is_terminal(void)
{
    return isatty(STDOUT_FILENO) && !engine_has_ranks();
}

/* As wide as the terminal; what goes elsewhere is the same everywhere. */
static size_t usual_width(void)
{
    enum { USUAL = 100, LEAST = 60 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned long n = columns ? strtoul(columns, NULL, 10) : 0;
    if (!is_terminal())
        return USUAL;
    if (!n && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    return n == 0 || n > UINT16_MAX ? USUAL : n < LEAST ? LEAST : n;
}

static void set_color(const char *value)
{
    if (!strcmp(value, "auto"))
        o.wish.look.has_color = is_terminal() && !getenv("NO_COLOR");
    else if (!strcmp(value, "always") || !strcmp(value, "never"))
        o.wish.look.has_color = value[0] == 'a';
    else
        options_wrong("--color wants auto, always or never, not '%s'", value);
}

static void describe(const struct table_form *form)
{
    static const char *const units[] = {
        [UNIT_TEXT] = "text",
        [UNIT_ID] = "number",
        [UNIT_COUNT] = "number",
        [UNIT_SECONDS] = "seconds",
        [UNIT_BYTES] = "bytes",
        [UNIT_PERCENT] = "percent",
        [UNIT_RATE] = "bytes per second",
        [UNIT_NUMBER] = "number",
        [UNIT_CHANGE] = "seconds",
        [UNIT_CHANGE_PERCENT] = "percent",
    };
    printf("\n## %s\n\n%s\n\n| column | unit | meaning |\n|---|---|---|\n", form->key, form->doc);
    for (size_t i = 0; i < form->n_columns; i++) {
        const struct column *column = &form->columns[i];
        if (column->shown != TEXT_ONLY)
            printf("| `%s` | %s | %s |\n", column->key, units[column->unit], column->doc);
    }
}

static void show_columns(void)
{
    for (size_t i = 0; i < n_sections; i++)
        describe(&sections[i]->form);
    for (size_t i = 0; i < n_diff_kinds; i++)
        describe(&diff_kinds[i].form);
    describe(&scaling_form);
    compare_describe(stdout);
    describe(&growth_form);
}

static void show_schema(void)
{
    schema_print(stdout);
}

/* ---- the command line ---- */

/* A column that no table has is a mistake; one that some have sorts these. */
static void check_sort(void)
{
    for (size_t i = 0; i < n_diff_kinds && o.others.n; i++)
        if (o.is_diff_chosen[i] && form_column(&diff_kinds[i].form, o.wish.sort) != SIZE_MAX)
            return;
    for (size_t i = 0; i < n_sections && !o.others.n; i++)
        if ((o.is_chosen[i] || !o.has_choice) &&
            form_column(&sections[i]->form, o.wish.sort) != SIZE_MAX)
            return;
    options_wrong("--sort: no table that is shown has a column '%s'", o.wish.sort);
}

/* A word that is a table's own name means this one of its group. */
static void choose_one(void)
{
    size_t n = 0;
    for (size_t i = 0; i < n_sections; i++)
        n += o.is_chosen[i];
    for (size_t i = 0; i < n_sections && n > 1; i++)
        if (o.by && !strcmp(o.by, sections[i]->form.key)) {
            memset(o.is_chosen, 0, sizeof o.is_chosen);
            o.is_chosen[i] = true;
            n = 1;
        }
    if (n > 1)
        options_wrong("--csv prints one table: name it with --by");
}

static void check_diff(void)
{
    size_t n = 0;
    for (size_t i = 0; i < n_diff_kinds; i++)
        n += o.is_diff_chosen[i];
    o.is_diff_chosen[0] |= !n;
    if (o.form == FORM_CSV && n > 1)
        options_wrong("--csv prints one table: name it with --by");
}

/* Several archives are compared as a whole. */
static void check_compared(void)
{
    if (o.n_paths > 1 && !o.others.n && (o.by || o.wish.sort || o.process || o.thread))
        options_wrong("several archives are compared as a whole: --by, --sort, --process and "
                      "--thread do not go with them");
    if ((o.is_weak || o.takes_any) && (o.n_paths < 2 || o.others.n))
        options_wrong("--weak and --any-program are for several archives without --diff");
}

static void check(void)
{
    check_compared();
    if (o.by)
        choose(o.by);
    if (o.others.n)
        check_diff();
    else if (o.form == FORM_CSV)
        choose_one();
    if (o.wish.sort)
        check_sort();
    if (o.filter && (o.others.n || o.has_choice || o.form != FORM_TEXT || o.n_paths > 1))
        options_wrong("--suggest-filter makes no report: --diff, --by, --json, --csv and a second "
                      "archive do not go with it");
    if (o.filter && (o.process || o.thread))
        options_wrong(
            "--suggest-filter covers all processes: --process and --thread do not go with it");
}

static void list_tables(void)
{
    const char *group = "";
    puts("\nTables (--by):");
    for (size_t i = 0; i < n_sections; i++) {
        printf("  %-12s %-18s %s\n",
               strcmp(group, sections[i]->group) != 0 ? sections[i]->group : "",
               sections[i]->form.key, sections[i]->form.doc);
        group = sections[i]->group;
    }
}

static const struct option_row rows[] = {
    {"by", .argument = "WHAT,...", .text = &o.by, .doc = "show these tables (see below)"},
    {"sort", .argument = "COLUMN", .text = &o.wish.sort,
     .doc = "sort rows by this column (its name in JSON and CSV)"},
    {"top", .argument = "N", .take = set_top,
     .doc = "show at most N rows of a table; 0: all (default: 12; all with --by)"},
    {"findings", .argument = "N", .take = set_findings,
     .doc = "say at most N sentences of what is most expensive, none of it below 1 percent of\n"
            "the time (default: 10)"},
    {"min-percent", .argument = "P", .take = set_min_percent,
     .doc = "leave out regions and call paths with less than P percent of the time"},
    {"process", .argument = "RANK", .text = &o.process,
     .doc = "show only this rank (1, 'rank 1'), or the process of this name"},
    {"thread", .argument = "ID", .text = &o.thread,
     .doc = "show only threads with this location number or name"},
    {"time", .argument = "FROM..TO", .take = set_time,
     .doc = "only this window of time, counted from the beginning: 1.5..2 (s), 20ms.."},
    {"diff", .argument = "OTHER,...", .take = add_others,
     .doc = "show what changed from ARCHIVE to OTHER, by region (or --by process, callpath,\n"
            "sites, waits); several archives on a side are repeats of one run"},
    {"weak", .set = &o.is_weak,
     .doc = "several archives: the problem grows with the CPUs (default: it stays the same)"},
    {"any-program", .set = &o.takes_any,
     .doc = "several archives: compare them even if they are runs of different programs"},
    {"suggest-filter", .argument = "FILE", .text = &o.filter,
     .doc = "write a filter (spur --filter) for regions of many events and little time"},
    {"json", .choice = &o.form, .value = FORM_JSON,
     .doc = "print JSON: everything, or the tables of --by"},
    {"csv", .choice = &o.form, .value = FORM_CSV,
     .doc = "print one table as CSV (default: --by region)"},
    {"no-header", .clear = &o.wish.look.has_headings, .doc = "print rows without headings"},
    {"width", .argument = "N", .take = set_width,
     .doc = "width of the lines (default: that of the terminal, or 100)"},
    {"wide", .take = set_wide, .doc = "do not shorten names"},
    {"color", .argument = "WHEN", .take = set_color, .doc = "use colours: auto, always or never"},
    {"threads", .argument = "N", .threads = &o.threads,
     .doc = "use N threads (default: one for each processor that this process may use,\nfewer for "
            "few events)"},
    {"verbose", .set = &o.is_verbose,
     .doc = "also print what several workers have sent to each other"},
    {"causes", .argument = "MIB", .take = set_causes,
     .doc = "use up to MIB MiB of memory to find causes of waiting, and iterations (default: 128; "
            "0: find none)"},
    {"columns", .show = show_columns, .doc = "list all tables and columns, as Markdown"},
    {"schema", .show = show_schema, .doc = "print the JSON Schema of --json"},
};

static const struct command_line command = {
    .name = "spur report",
    .form = "[OPTION]... ARCHIVE...",
    .about =
        "Shows where the time went in ARCHIVE (a directory, or its .otf2 file).\n"
        "With several archives, runs of one program, it shows their efficiencies side by side\n"
        "and says what stops the scaling.",
    OPTION_ROWS(rows),
    .list = list_tables,
    .more = "A word of the first column selects a group of tables, a word of the second column one "
            "table.\n"
            "Without --by, tables without content are left out.",
    .least = 1,
    .most = INT_MAX,
    .needs = "'spur report' needs an archive",
};

const struct options *report_options(char **words)
{
    o.wish.look.width = usual_width();
    set_color("auto");
    o.paths = options_read(&command, words);
    while (o.paths[o.n_paths])
        o.n_paths++;
    check();
    return &o;
}
