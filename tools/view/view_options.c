/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/view_options.h"

#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/quantity.h"
#include "tools/base/say.h"

enum { WIDTH_LEAST = 20, WIDTH_MAX = 1000, PARTS_MAX = 1024, IDLE_S = 1800 };

void view_options_wrong(const char *format, ...)
{
    va_list va;
    char *text = NULL;
    va_start(va, format);
    if (vasprintf(&text, format, va) < 0)
        text = NULL;
    va_end(va);
    say("%s; see 'spur view --help'", text ? text : "no memory");
    exit(2);
}

/* ---- what options do ---- */

static unsigned long number(const char *value, unsigned long least, unsigned long most,
                            const char *option)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || n < least || n > most)
        view_options_wrong("--%s wants a number from %lu to %lu, not '%s'", option, least, most,
                           value);
    return n;
}

static void set_output(struct view_wish *w, const char *value)
{
    if (!*value)
        view_options_wrong("--output wants a name");
    w->output = value;
}

static void set_time(struct view_wish *w, const char *value)
{
    w->has_window = true;
    if (!quantity_window(value, &w->from, &w->to))
        view_options_wrong("--time wants FROM..TO, as in 1.5..2 or 20ms..21ms, not '%s'", value);
}

static void set_location(struct view_wish *w, const char *value)
{
    w->locations = value;
}

static void set_finding(struct view_wish *w, const char *value)
{
    w->finding = (unsigned)number(value, 1, 1000, "finding");
}

static void set_no_findings(struct view_wish *w, const char *value)
{
    (void)value;
    w->has_no_findings = true;
}

static void set_text(struct view_wish *w, const char *value)
{
    (void)value;
    w->is_text = true;
}

static void set_width(struct view_wish *w, const char *value)
{
    w->width = (unsigned)number(value, WIDTH_LEAST, WIDTH_MAX, "width");
}

static void set_serve(struct view_wish *w, const char *value)
{
    w->is_served = true;
    w->address = value;
}

static void set_idle(struct view_wish *w, const char *value)
{
    w->idle = strcmp(value, "never") == 0 ? 0.0 : quantity_seconds(value, value + strlen(value));
    if (w->idle < 0.0)
        view_options_wrong("--idle wants a time, as in 2min, or never, not '%s'", value);
}

static void set_parts(struct view_wish *w, const char *value)
{
    w->parts = (unsigned)number(value, 1, PARTS_MAX, "parts");
}

static void show_help(struct view_wish *w, const char *value);

static const struct option_row {
    const char *name;
    char letter;
    const char *argument; /* NULL: none */
    void (*set)(struct view_wish *w, const char *value);
    const char *doc;
} rows[] = {
    {"output", 'o', "FILE", set_output, "the page (default: the archive's name with .html, here)"},
    {"time", 0, "FROM..TO", set_time, "show this window, since the beginning: 1.5..2, 20ms.."},
    {"location", 0, "LIST", set_location,
     "these alone: locations by number or name, processes by name: 0,'rank 1'"},
    {"finding", 0, "N", set_finding, "show where the N-th finding of spur report is"},
    {"no-findings", 0, NULL, set_no_findings, "without findings, which cost another reading"},
    {"text", 0, NULL, set_text, "lines in the terminal instead of a page"},
    {"width", 0, "N", set_width, "columns of these lines (default: the terminal's)"},
    {"serve", 0, "[=ADDR:PORT]", set_serve,
     "to a browser on this machine, each event where the page zooms in"},
    {"idle", 0, "TIME", set_idle, "end --serve after that time without a request (30min, never)"},
    {"parts", 0, "N", set_parts, "read in N parts that are joined: the same picture"},
    {"help", 'h', NULL, show_help, "this text"},
};

enum { N_ROWS = sizeof rows / sizeof rows[0] };

static void show_help(struct view_wish *w, const char *value)
{
    (void)w, (void)value;
    puts("usage: spur view [OPTION]... ARCHIVE\n\n"
         "ARCHIVE (a directory, or its .otf2 file) as a picture: a page for any browser, in one\n"
         "file, that asks nothing of any server.\n");
    for (unsigned i = 0; i < N_ROWS; i++) {
        char option[40];
        const char *argument = rows[i].argument ? rows[i].argument : "";
        snprintf(option, sizeof option, "%s--%s%s%s",
                 rows[i].letter ? (char[]){'-', rows[i].letter, ',', ' ', 0} : "    ", rows[i].name,
                 *argument && *argument != '[' ? " " : "", argument);
        printf("  %-24s %s\n", option, rows[i].doc);
    }
    exit(0);
}

static void check(const struct view_wish *w)
{
    if (w->is_text && w->output)
        view_options_wrong("--output is for a page, --text for the terminal");
    if (w->is_text && w->finding)
        view_options_wrong("--finding is for a page; of --text use --time");
    if (!w->is_text && w->width)
        view_options_wrong("--width is for --text");
    if (w->is_served && (w->is_text || w->output))
        view_options_wrong("--serve is for a page in a browser, without --text and --output");
    if (w->finding && w->has_no_findings)
        view_options_wrong("--finding needs findings");
}

void view_options_read(struct view_wish *wish, int argc, char **argv)
{
    struct option longs[N_ROWS + 1] = {{0}};
    for (int i = 0; i < N_ROWS; i++)
        longs[i] = (struct option){rows[i].name,
                                   !rows[i].argument            ? no_argument
                                   : rows[i].argument[0] == '[' ? optional_argument
                                                                : required_argument,
                                   NULL, i + 256};
    *wish = (struct view_wish){.to = INFINITY, .parts = 1, .idle = IDLE_S};
    opterr = 0;
    for (;;) {
        int at = optind;
        int which = getopt_long(argc, argv, ":o:h", longs, NULL);
        if (which == -1)
            break;
        if (which == ':')
            view_options_wrong("option %s needs a value", argv[at]);
        if (which == '?')
            view_options_wrong("unknown option %s", argv[at]);
        for (int i = 0; i < N_ROWS; i++)
            if (which == rows[i].letter || which == i + 256)
                rows[i].set(wish, optarg);
    }
    if (wish->is_served && !wish->address && optind + 2 == argc)
        wish->address = argv[optind + (access(argv[optind], F_OK) == 0)];
    if (wish->address == argv[optind])
        optind++;
    if (optind + 1 != argc && (!wish->address || wish->address != argv[optind + 1]))
        view_options_wrong("'spur view' needs one archive");
    wish->path = argv[optind];
    check(wish);
}
