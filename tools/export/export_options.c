/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/export/export_options.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/quantity.h"
#include "tools/base/say.h"
#include "tools/export/export_tables.h"

void options_wrong(const char *format, ...)
{
    va_list va;
    char *text = NULL;
    va_start(va, format);
    if (vasprintf(&text, format, va) < 0)
        text = NULL;
    va_end(va);
    say("%s; see 'spur export --help'", text ? text : "no memory");
    exit(2);
}

/* ---- what options do ---- */

static void set_to(struct wish *w, const char *value)
{
    for (size_t i = 0; i < n_formats; i++)
        if (!strcmp(formats[i]->name, value))
            w->format = formats[i];
    if (!w->format || strcmp(w->format->name, value) != 0)
        options_wrong("--to knows no '%s'", value);
}

static void set_output(struct wish *w, const char *value)
{
    if (!*value)
        options_wrong("--output wants a name");
    w->output = value;
}

static void set_time(struct wish *w, const char *value)
{
    if (!quantity_window(value, &w->from, &w->to))
        options_wrong("--time wants FROM..TO, as in 1.5..2 or 20ms..21ms, not '%s'", value);
}

static void set_location(struct wish *w, const char *value)
{
    w->locations = value;
}

static void set_min_duration(struct wish *w, const char *value)
{
    w->min_duration = quantity_seconds(value, value + strlen(value));
    if (w->min_duration < 0.0)
        options_wrong("--min-duration wants a time, as in 10us, not '%s'", value);
}

static void set_limit(struct wish *w, const char *value)
{
    bool is_none = strcmp(value, "none") == 0;
    w->limit = is_none ? INFINITY : quantity_bytes(value, value + strlen(value));
    if (w->limit < 0.0)
        options_wrong("--limit wants a size, as in 4G, or none, not '%s'", value);
}

static void set_estimate(struct wish *w, const char *value)
{
    (void)value;
    w->is_estimate = true;
}

static void set_table(struct wish *w, const char *value)
{
    if (!tables_has(value))
        options_wrong("--table knows no '%s'", value);
    w->table = value;
}

static void set_weight(struct wish *w, const char *value)
{
    w->by_samples = !strcmp(value, "samples");
    if (!w->by_samples && strcmp(value, "time") != 0)
        options_wrong("--weight wants time or samples, not '%s'", value);
}

static void show_schema(struct wish *w, const char *value)
{
    (void)w, (void)value;
    tables_describe(stdout);
    exit(0);
}

static void show_help(struct wish *w, const char *value);

static const struct option_row {
    const char *name;
    char letter;
    const char *argument; /* NULL: none */
    void (*set)(struct wish *w, const char *value);
    const char *doc;
} rows[] = {
    {"to", 't', "FORMAT", set_to, "what to write, see below"},
    {"output", 'o', "FILE", set_output, "where to (default: standard output)"},
    {"time", 0, "FROM..TO", set_time,
     "what happens in this window, since the beginning: 1.5..2, 20ms.."},
    {"location", 0, "LIST", set_location,
     "locations by number or name, processes by name: 0,'rank 1'"},
    {"min-duration", 0, "TIME", set_min_duration, "no calls that are shorter: 10us"},
    {"estimate", 0, NULL, set_estimate, "how much it would be, at most, and nothing else"},
    {"limit", 0, "SIZE", set_limit, "the most that may be written: 4G, none (default: by format)"},
    {"table", 0, "NAME", set_table,
     "csv: one table to FILE (default: all into the directory FILE)"},
    {"weight", 0, "WHAT", set_weight, "folded: time (of calls, in ns; default) or samples"},
    {"schema", 0, NULL, show_schema, "the tables of csv and sqlite, as Markdown"},
    {"help", 'h', NULL, show_help, "this text"},
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static void show_help(struct wish *w, const char *value)
{
    (void)w, (void)value;
    puts("usage: spur export --to FORMAT [OPTION]... ARCHIVE\n\n"
         "ARCHIVE (a directory, or its .otf2 file) for other tools.\n");
    for (unsigned i = 0; i < N_ROWS; i++) {
        char option[40];
        snprintf(option, sizeof option, "%s--%s%s%s",
                 rows[i].letter ? (char[]){'-', rows[i].letter, ',', ' ', 0} : "    ", rows[i].name,
                 rows[i].argument ? " " : "", rows[i].argument ? rows[i].argument : "");
        printf("  %-24s %s\n", option, rows[i].doc);
    }
    puts("\nFormats (--to):");
    for (size_t i = 0; i < n_formats; i++)
        printf("  %-9s %s\n", formats[i]->name, formats[i]->help);
    puts("\nCalls that reach into the window are whole. 'spur query' asks the tables of sqlite.");
    exit(0);
}

static void check(const struct wish *w)
{
    if (!w->format)
        options_wrong("--to has to say what to write");
    if (w->table && w->format != &format_csv)
        options_wrong("--table is for csv");
    if (w->by_samples && w->format != &format_folded)
        options_wrong("--weight is for folded");
    if (w->is_estimate || w->output || w->table)
        return;
    if (w->format->is_file)
        options_wrong("%s needs --output FILE", w->format->name);
    if (!w->format->is_text && isatty(STDOUT_FILENO))
        options_wrong("%s is nothing for a terminal: --output FILE", w->format->name);
}

void options_read(struct wish *wish, int argc, char **argv)
{
    struct option longs[N_ROWS + 1] = {{0}};
    for (int i = 0; i < N_ROWS; i++)
        longs[i] = (struct option){rows[i].name, rows[i].argument ? required_argument : no_argument,
                                   NULL, i + 256};
    *wish = (struct wish){.to = INFINITY, .limit = -1.0};
    opterr = 0;
    for (;;) {
        int at = optind;
        int which = getopt_long(argc, argv, ":t:o:h", longs, NULL);
        if (which == -1)
            break;
        if (which == ':')
            options_wrong("option %s needs a value", argv[at]);
        if (which == '?')
            options_wrong("unknown option %s", argv[at]);
        for (int i = 0; i < N_ROWS; i++)
            if (which == rows[i].letter || which == i + 256)
                rows[i].set(wish, optarg);
    }
    if (optind + 1 != argc)
        options_wrong("'spur export' needs one archive");
    wish->path = argv[optind];
    check(wish);
}
