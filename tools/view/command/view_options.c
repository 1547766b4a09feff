/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/view/command/view_options.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/options.h"
#include "tools/base/quantity.h"

enum { WIDTH_LEAST = 20, WIDTH_MAX = 1000, IDLE_S = 1800 };

static struct view_wish w = {.to = INFINITY, .idle = IDLE_S};

/* ---- what options do ---- */

static unsigned number(const char *value, unsigned least, unsigned most)
{
    const char *name = options_row()->name;
    uint64_t n = options_number(value);
    if (n < least || n > most)
        options_wrong("--%s wants a number from %u to %u, not '%s'", name, least, most, value);
    return (unsigned)n;
}

static void set_output(const char *value)
{
    if (!*value)
        options_wrong("--output wants a name");
    w.output = value;
}

static void set_time(const char *value)
{
    w.has_window = true;
    if (!quantity_window(value, &w.from, &w.to))
        options_wrong("--time wants FROM..TO, as in 1.5..2 or 20ms..21ms, not '%s'", value);
}

static void set_finding(const char *value)
{
    w.finding = number(value, 1, 1000);
}

static void set_width(const char *value)
{
    w.width = number(value, WIDTH_LEAST, WIDTH_MAX);
}

static void set_serve(const char *value)
{
    w.is_served = true;
    w.address = value;
}

static void set_idle(const char *value)
{
    w.idle = strcmp(value, "never") == 0 ? 0.0 : quantity_seconds(value, value + strlen(value));
    if (w.idle < 0.0)
        options_wrong("--idle wants a time, as in 2min, or never, not '%s'", value);
}

static const struct option_row rows[] = {
    {"output", "o", "FILE", .take = set_output,
     .doc = "write the page to FILE (default: the archive's name with .html, here)"},
    {"time", .argument = "FROM..TO", .take = set_time,
     .doc = "show this window of time, counted from the beginning: 1.5..2 (s), 20ms.."},
    {"location", .argument = "LIST", .text = &w.locations,
     .doc = "show only these locations (number or name) or processes (name): 0,'rank 1'"},
    {"finding", .argument = "N", .take = set_finding,
     .doc = "open the page where the N-th finding of spur report is"},
    {"no-findings", .set = &w.has_no_findings,
     .doc = "do not look for findings: saves one reading of the archive"},
    {"text", .set = &w.is_text, .doc = "print a picture in the terminal instead of a page"},
    {"width", .argument = "N", .take = set_width,
     .doc = "with --text: number of columns (default: the terminal's)"},
    {"serve", .argument = "[=ADDR:PORT]", .take = set_serve,
     .doc = "serve the page to a browser on this machine, with every event"},
    {"idle", .argument = "TIME", .take = set_idle,
     .doc = "end --serve after this time without a request: 2h, never (default: 30min)"},
    {"threads", .argument = "N", .threads = &w.threads,
     .doc = "use N threads (default: one for each processor that this process may use)"},
};

static const struct command_line command = {
    .name = "spur view",
    .form = "[OPTION]... ARCHIVE",
    .about = "Makes a picture of ARCHIVE (a directory, or its .otf2 file): one HTML file for any "
             "browser.\n"
             "The page needs no server and no network.",
    OPTION_ROWS(rows),
    .least = 1,
    .most = 2, /* --serve: its address may be a word of its own */
    .needs = "'spur view' needs one archive",
};

static void check(void)
{
    if (w.is_text && w.output)
        options_wrong("--output makes a page: --text does not go with it");
    if (w.is_text && w.finding)
        options_wrong("--finding opens a page: with --text use --time");
    if (!w.is_text && w.width)
        options_wrong("--width needs --text");
    if (w.is_served && (w.is_text || w.output))
        options_wrong("--serve shows a page in a browser: --text and --output do not go with it");
    if (w.finding && w.has_no_findings)
        options_wrong("--finding does not go with --no-findings");
}

void view_options_read(struct view_wish *wish, int argc, char **argv)
{
    (void)argc;
    char **words = options_read(&command, argv + 1);
    bool is_second = words[1] && access(words[0], F_OK) == 0;
    if (words[1] && (!w.is_served || w.address))
        options_wrong("%s", command.needs);
    if (words[1])
        w.address = words[is_second];
    w.path = words[words[1] && !is_second];
    check();
    *wish = w;
}
