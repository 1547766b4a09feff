/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/options.h"
#include "tools/base/quantity.h"
#include "tools/export/export_tables.h"

static struct wish w = {.to = INFINITY, .limit = -1.0};

/* ---- what options do ---- */

static const char *format_name(size_t i)
{
    return formats[i]->name;
}

static void set_to(const char *value)
{
    for (size_t i = 0; i < n_formats; i++)
        if (!strcmp(formats[i]->name, value))
            w.format = formats[i];
    if (!w.format || strcmp(w.format->name, value) != 0)
        options_unknown("--to", value, format_name, n_formats);
}

static void set_output(const char *value)
{
    if (!*value)
        options_wrong("--output wants a name");
    w.output = value;
}

static void set_time(const char *value)
{
    w.window = value;
    if (!quantity_window(value, &w.from, &w.to))
        options_wrong("--time wants FROM..TO, as in 1.5..2 or 20ms..21ms, not '%s'", value);
}

static void set_min_duration(const char *value)
{
    w.min_duration = quantity_seconds(value, value + strlen(value));
    if (w.min_duration < 0.0)
        options_wrong("--min-duration wants a time, as in 10us, not '%s'", value);
}

static void set_limit(const char *value)
{
    w.limit = strcmp(value, "none") == 0 ? INFINITY : quantity_bytes(value, value + strlen(value));
    if (w.limit < 0.0)
        options_wrong("--limit wants a size, as in 4G, or none, not '%s'", value);
}

static const char *table_name(size_t i)
{
    return table_names[i];
}

static void set_table(const char *value)
{
    if (!tables_has(value))
        options_unknown("--table", value, table_name, TABLES);
    w.table = value;
}

static void set_weight(const char *value)
{
    w.by_samples = !strcmp(value, "samples");
    if (!w.by_samples && strcmp(value, "time") != 0)
        options_wrong("--weight wants time or samples, not '%s'", value);
}

static void show_schema(void)
{
    tables_describe(stdout);
}

static void list_formats(void)
{
    puts("\nFormats (--to):");
    for (size_t i = 0; i < n_formats; i++)
        printf("  %-9s %s\n", formats[i]->name, formats[i]->help);
}

static const struct option_row rows[] = {
    {"to", "t", "FORMAT", .take = set_to, .doc = "write this format, see below"},
    {"output", "o", "FILE", .take = set_output, .doc = "write to FILE (default: standard output)"},
    {"time", .argument = "FROM..TO", .take = set_time,
     .doc = "only this window of time, counted from the beginning: 1.5..2 (s), 20ms.."},
    {"location", .argument = "LIST", .text = &w.locations,
     .doc = "only these locations (number or name) or processes (name): 0,'rank 1'"},
    {"min-duration", .argument = "TIME", .take = set_min_duration,
     .doc = "leave out calls that are shorter: 10us"},
    {"estimate", .set = &w.is_estimate,
     .doc = "print an upper bound of the size, and write nothing"},
    {"limit", .argument = "SIZE", .take = set_limit,
     .doc = "refuse an export whose estimate is greater: 4G, none (default: by format)"},
    {"table", .argument = "NAME", .take = set_table,
     .doc = "csv: write one table to FILE (default: all tables, into the directory FILE)"},
    {"weight", .argument = "WHAT", .take = set_weight,
     .doc = "folded: what to count: time (of calls, in ns; default) or samples"},
    {"threads", .argument = "N", .threads = &w.threads,
     .doc = "use N threads (default: the processors that it may use, as far as they help)"},
    {"schema", .show = show_schema, .doc = "list the tables of csv and sqlite, as Markdown"},
};

static const struct command_line command = {
    .name = "spur export",
    .form = "--to FORMAT [OPTION]... ARCHIVE",
    .about = "Writes ARCHIVE (a directory, or its .otf2 file) for other tools.",
    OPTION_ROWS(rows),
    .list = list_formats,
    .more = "Calls that reach into the window are exported completely. 'spur query' uses the "
            "tables of sqlite.",
    .least = 1,
    .most = 1,
    .needs = "'spur export' needs one archive",
};

static void check(void)
{
    if (!w.format)
        options_wrong("name a format with --to");
    if (w.table && w.format != &format_csv)
        options_wrong("--table needs --to csv");
    if (w.by_samples && w.format != &format_folded)
        options_wrong("--weight needs --to folded");
    if (w.is_estimate || w.output || w.table)
        return;
    if (w.format->is_file)
        options_wrong("%s needs --output FILE", w.format->name);
    if (!w.format->is_text && isatty(STDOUT_FILENO))
        options_wrong("%s cannot be shown on a terminal: use --output FILE", w.format->name);
}

struct wish export_options(char **words)
{
    w.path = options_read(&command, words)[0];
    check();
    return w;
}
