/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_options.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/base/options.h"
#include "tools/engine/engine.h"
#include "tools/report/report_diff.h"
#include "tools/report/report_schema.h"

static struct options o = {.wish = {.top = SIZE_MAX, .look = {.has_headings = true}}};

/* ---- what options do ---- */

static void set_by(const char *value)
{
    char *list = copy_text(value);
    char *rest = list;
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        bool is_known = false;
        for (size_t i = 0; i < n_sections; i++)
            if (!strcmp(word, sections[i].group) || !strcmp(word, sections[i].key)) {
                o.is_chosen[i] = true;
                is_known = true;
            }
        if (!is_known)
            options_wrong("--by knows no table '%s'", word);
    }
    o.has_choice = true;
    o.by = value;
    free(list);
}

static void set_top(const char *value)
{
    uint64_t n = options_number(value);
    o.wish.top = n ? (size_t)n : SIZE_MAX;
    o.has_top = true;
}

static void set_threads(const char *value)
{
    enum { MOST = 1024 };
    uint64_t n = options_number(value);
    if (!n || n > MOST)
        options_wrong("--threads wants a number from 1 to %d, not '%s'", MOST, value);
    o.threads = (unsigned)n;
}

static void set_min_percent(const char *value)
{
    char *end;
    o.wish.min_percent = strtod(value, &end);
    if (!*value || *end || !(o.wish.min_percent >= 0.0))
        options_wrong("--min-percent wants a number, not '%s'", value);
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

static void describe(const char *key, const char *doc, const struct column *columns, size_t n)
{
    static const char *const units[] = {
        [UNIT_TEXT] = "text",       [UNIT_ID] = "number",      [UNIT_COUNT] = "number",
        [UNIT_SECONDS] = "seconds", [UNIT_BYTES] = "bytes",    [UNIT_PERCENT] = "percent",
        [UNIT_NUMBER] = "number",   [UNIT_CHANGE] = "seconds", [UNIT_CHANGE_PERCENT] = "percent",
    };
    printf("\n## %s\n\n%s\n\n| column | unit | meaning |\n|---|---|---|\n", key, doc);
    for (size_t i = 0; i < n; i++)
        if (columns[i].shown != TEXT_ONLY)
            printf("| `%s` | %s | %s |\n", columns[i].key, units[columns[i].unit], columns[i].doc);
}

static void show_columns(void)
{
    for (size_t i = 0; i < n_sections; i++)
        describe(sections[i].key, sections[i].doc, sections[i].columns, *sections[i].n_columns);
    describe("diff", "what --diff shows", columns_diff, n_columns_diff);
}

static void show_schema(void)
{
    schema_print(stdout);
}

/* ---- the command line ---- */

/* A column that no table has is a mistake; one that some have sorts these. */
static void check_sort(void)
{
    for (size_t i = 0; i < n_columns_diff && o.other; i++)
        if (!strcmp(columns_diff[i].key, o.wish.sort))
            return;
    for (size_t i = 0; i < n_sections && !o.other; i++)
        for (size_t k = 0; (o.is_chosen[i] || !o.has_choice) && k < *sections[i].n_columns; k++)
            if (!strcmp(sections[i].columns[k].key, o.wish.sort))
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
        if (!strcmp(o.by, sections[i].key)) {
            memset(o.is_chosen, 0, sizeof o.is_chosen);
            o.is_chosen[i] = true;
            n = 1;
        }
    if (n > 1)
        options_wrong("--csv prints one table: name it with --by");
}

static void check(void)
{
    if (o.form == FORM_CSV)
        choose_one();
    if (o.wish.sort)
        check_sort();
    if (o.other && o.has_choice)
        options_wrong("--diff compares regions: --by does not go with it");
    if (o.filter && (o.other || o.has_choice || o.form != FORM_TEXT))
        options_wrong(
            "--suggest-filter makes no report: --diff, --by, --json and --csv do not go with it");
    if (o.filter && (o.process || o.thread))
        options_wrong(
            "--suggest-filter covers all processes: --process and --thread do not go with it");
}

static void list_tables(void)
{
    const char *group = "";
    puts("\nTables (--by):");
    for (size_t i = 0; i < n_sections; i++) {
        printf("  %-12s %-18s %s\n", strcmp(group, sections[i].group) != 0 ? sections[i].group : "",
               sections[i].key, sections[i].doc);
        group = sections[i].group;
    }
}

static const struct option_row rows[] = {
    {"by", .argument = "WHAT,...", .take = set_by, .doc = "show these tables (see below)"},
    {"sort", .argument = "COLUMN", .text = &o.wish.sort,
     .doc = "sort rows by this column (its name in JSON and CSV)"},
    {"top", .argument = "N", .take = set_top,
     .doc = "show at most N rows of a table; 0: all (default: 12; all with --by)"},
    {"min-percent", .argument = "P", .take = set_min_percent,
     .doc = "leave out regions and call paths with less than P percent of the time"},
    {"process", .argument = "RANK", .text = &o.process,
     .doc = "show only this rank (1, 'rank 1'), or the process of this name"},
    {"thread", .argument = "ID", .text = &o.thread,
     .doc = "show only threads with this location number or name"},
    {"diff", .argument = "OTHER", .text = &o.other,
     .doc = "show what changed from ARCHIVE to OTHER, by region"},
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
    {"threads", .argument = "N", .take = set_threads,
     .doc = "use N threads (default: one for each processor that this process may use,\nfewer for "
            "few events)"},
    {"columns", .show = show_columns, .doc = "list all tables and columns, as Markdown"},
    {"schema", .show = show_schema, .doc = "print the JSON Schema of --json"},
};

static const struct command_line command = {
    .name = "spur report",
    .form = "[OPTION]... ARCHIVE",
    .about = "Shows where the time went in ARCHIVE (a directory, or its .otf2 file).",
    OPTION_ROWS(rows),
    .list = list_tables,
    .more = "A word of the first column selects a group of tables, a word of the second column one "
            "table.\n"
            "Without --by, tables without content are left out.",
    .least = 1,
    .most = 1,
    .needs = "'spur report' needs one archive",
};

const struct options *report_options(char **words)
{
    o.wish.look.width = usual_width();
    set_color("auto");
    o.path = options_read(&command, words)[0];
    check();
    return &o;
}
