/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report_options.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/base/say.h"
#include "tools/report/report_diff.h"
#include "tools/report/report_schema.h"

void options_wrong(const char *format, ...)
{
    va_list va;
    char *text = NULL;
    va_start(va, format);
    if (vasprintf(&text, format, va) < 0)
        text = NULL;
    va_end(va);
    say("%s; see 'spur report --help'", text ? text : "no memory");
    exit(2);
}

/* ---- what options do ---- */

static void set_by(struct options *o, const char *value)
{
    char *list = report_copy(value);
    char *rest = list;
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        bool is_known = false;
        for (size_t i = 0; i < n_sections; i++)
            if (!strcmp(word, sections[i].group) || !strcmp(word, sections[i].key)) {
                o->is_chosen[i] = true;
                is_known = true;
            }
        if (!is_known)
            options_wrong("--by has no '%s'", word);
    }
    o->has_choice = true;
    o->by = value;
    free(list);
}

static void set_sort(struct options *o, const char *value)
{
    o->wish.sort = value;
}

static void set_top(struct options *o, const char *value)
{
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    if (!*value || *end || value[0] == '-')
        options_wrong("--top wants a number, not '%s'", value);
    o->wish.top = n ? (size_t)n : SIZE_MAX;
    o->has_top = true;
}

static void set_min_percent(struct options *o, const char *value)
{
    char *end;
    o->wish.min_percent = strtod(value, &end);
    if (!*value || *end || !(o->wish.min_percent >= 0.0))
        options_wrong("--min-percent wants a number, not '%s'", value);
}

static void set_process(struct options *o, const char *value)
{
    o->process = value;
}

static void set_thread(struct options *o, const char *value)
{
    o->thread = value;
}

static void set_diff(struct options *o, const char *value)
{
    o->other = value;
}

static void set_json(struct options *o, const char *value)
{
    (void)value;
    o->form = FORM_JSON;
}

static void set_csv(struct options *o, const char *value)
{
    (void)value;
    o->form = FORM_CSV;
}

static void set_no_header(struct options *o, const char *value)
{
    (void)value;
    o->wish.look.has_headings = false;
}

static void set_width(struct options *o, const char *value)
{
    enum { LEAST = 40 };
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (!*value || *end || value[0] == '-' || n < LEAST || n > UINT16_MAX)
        options_wrong("--width wants a number of columns, %d or more, not '%s'", LEAST, value);
    o->wish.look.width = n;
}

static void set_wide(struct options *o, const char *value)
{
    (void)value;
    o->wish.look.width = SIZE_MAX;
}

/* As wide as the terminal; what goes elsewhere is the same everywhere. */
static size_t usual_width(void)
{
    enum { USUAL = 100, LEAST = 60 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    unsigned long n = columns ? strtoul(columns, NULL, 10) : 0;
    if (!isatty(STDOUT_FILENO))
        return USUAL;
    if (!n && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        n = size.ws_col;
    return n == 0 || n > UINT16_MAX ? USUAL : n < LEAST ? LEAST : n;
}

static void set_color(struct options *o, const char *value)
{
    if (!strcmp(value, "auto"))
        o->wish.look.has_color = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    else if (!strcmp(value, "always") || !strcmp(value, "never"))
        o->wish.look.has_color = value[0] == 'a';
    else
        options_wrong("--color wants auto, always or never, not '%s'", value);
}

static void show_help(struct options *o, const char *value);
static void show_columns(struct options *o, const char *value);
static void show_schema(struct options *o, const char *value);

static const struct option_row {
    const char *name;
    const char *argument; /* NULL: none */
    void (*set)(struct options *o, const char *value);
    const char *doc;
} rows[] = {
    {"by", "WHAT,...", set_by, "the tables that are wanted, see below"},
    {"sort", "COLUMN", set_sort, "order of the rows, by the column's name in JSON and CSV"},
    {"top", "N", set_top, "at most N rows of a table; 0: all (default: 12, all with --by)"},
    {"min-percent", "P", set_min_percent, "no regions and call paths that take less of the time"},
    {"process", "RANK", set_process, "this rank (1, 'rank 1'), or process of this name, only"},
    {"thread", "ID", set_thread, "the threads with this location number or name only"},
    {"diff", "OTHER", set_diff, "what has changed from ARCHIVE to OTHER, by region"},
    {"json", NULL, set_json, "everything as JSON, or what --by asks for"},
    {"csv", NULL, set_csv, "one table as CSV (default: --by region)"},
    {"no-header", NULL, set_no_header, "rows only, without what stands above them"},
    {"width", "N", set_width, "columns of a line (default: those of the terminal, or 100)"},
    {"wide", NULL, set_wide, "names in full, whatever that takes"},
    {"color", "WHEN", set_color, "auto, always or never"},
    {"columns", NULL, show_columns, "all tables and columns, as Markdown"},
    {"schema", NULL, show_schema, "the JSON Schema of what --json prints"},
    {"help", NULL, show_help, "this text"},
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static void show_help(struct options *o, const char *value)
{
    const char *group = "";
    (void)o, (void)value;
    puts("usage: spur report [OPTION]... ARCHIVE\n\n"
         "Where the time went: ARCHIVE (a directory, or its .otf2 file) as a profile.\n");
    for (unsigned i = 0; i < N_ROWS; i++) {
        char option[32];
        snprintf(option, sizeof option, "--%s%s%s", rows[i].name, rows[i].argument ? " " : "",
                 rows[i].argument ? rows[i].argument : "");
        printf("  %-18s %s\n", option, rows[i].doc);
    }
    puts("\nTables (--by):");
    for (size_t i = 0; i < n_sections; i++) {
        printf("  %-12s %-18s %s\n", strcmp(group, sections[i].group) != 0 ? sections[i].group : "",
               sections[i].key, sections[i].doc);
        group = sections[i].group;
    }
    puts("\nA word of the first column asks for all its tables, one of the second for that table.\n"
         "Without --by there are those that have something to say.");
    exit(0);
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

static void show_columns(struct options *o, const char *value)
{
    (void)o, (void)value;
    for (size_t i = 0; i < n_sections; i++)
        describe(sections[i].key, sections[i].doc, sections[i].columns, *sections[i].n_columns);
    describe("diff", "what --diff shows", columns_diff, n_columns_diff);
    exit(0);
}

static void show_schema(struct options *o, const char *value)
{
    (void)o, (void)value;
    schema_print(stdout);
    exit(0);
}

/* ---- the command line ---- */

/* A column that no table has is a mistake; one that some have sorts these. */
static void check_sort(const struct options *o)
{
    for (size_t i = 0; i < n_columns_diff && o->other; i++)
        if (!strcmp(columns_diff[i].key, o->wish.sort))
            return;
    for (size_t i = 0; i < n_sections && !o->other; i++)
        for (size_t k = 0; (o->is_chosen[i] || !o->has_choice) && k < *sections[i].n_columns; k++)
            if (!strcmp(sections[i].columns[k].key, o->wish.sort))
                return;
    options_wrong("--sort knows no column '%s' here", o->wish.sort);
}

/* A word that is a table's own name means this one of its group. */
static void choose_one(struct options *o)
{
    size_t n = 0;
    for (size_t i = 0; i < n_sections; i++)
        n += o->is_chosen[i];
    for (size_t i = 0; i < n_sections && n > 1; i++)
        if (!strcmp(o->by, sections[i].key)) {
            memset(o->is_chosen, 0, sizeof o->is_chosen);
            o->is_chosen[i] = true;
            n = 1;
        }
    if (n > 1)
        options_wrong("--csv is one table: --by has to name one");
}

static void check(struct options *o)
{
    if (o->form == FORM_CSV)
        choose_one(o);
    if (o->wish.sort)
        check_sort(o);
    if (o->other && o->has_choice)
        options_wrong("--diff is by region: no --by");
}

void options_read(struct options *o, int argc, char **argv)
{
    struct option longs[N_ROWS + 1] = {{0}};
    for (int i = 0; i < N_ROWS; i++)
        longs[i] = (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument,
                                   NULL, i};
    *o = (struct options){.wish = {.top = SIZE_MAX, .look = {.has_headings = true}}};
    o->wish.look.width = usual_width();
    set_color(o, "auto");
    opterr = 0;
    for (;;) {
        int at = optind;
        int which = getopt_long(argc, argv, ":h", longs, NULL);
        if (which == -1)
            break;
        if (which == ':')
            options_wrong("option %s needs a value", argv[at]);
        if (which == '?')
            options_wrong("unknown option %s", argv[at]);
        if (which == 'h')
            show_help(o, NULL);
        rows[which].set(o, optarg);
    }
    if (optind + 1 != argc)
        options_wrong("'spur report' needs one archive");
    o->path = argv[optind];
    check(o);
}
