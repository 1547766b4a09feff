/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_options.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/archive_path.h"
#include "tools/base/fail.h"
#include "tools/base/options.h"

struct options options = {
    .local_definitions = true,
    .snapshots = true,
    .step = UINT64_MAX,
    .max_time = UINT64_MAX,
};

/* ---- options with arguments ---- */

/* The option as it was typed, for complaints. */
static char *name_now(void)
{
    const char *typed = options_typed();
    return make_text("%.*s", (int)strcspn(typed, " ="), typed);
}

static uint64_t read_number(const char *text)
{
    char *bare = name_now();
    char *quoted = make_text("'%s'", bare);
    uint64_t number = options_otf2_number(text, quoted, bare);
    free(bare);
    free(quoted);
    return number;
}

static void take_output(const char *value)
{
    if (!*value)
        options_wrong("option '%s' wants the name of a file", name_now());
    options.output = value;
}

static void take_location(const char *value)
{
    options.location = read_number(value);
    options.one_location = true;
}

static void take_step(const char *value)
{
    options.step = read_number(value);
    if (!options.step) /* would never come to an end */
        options.step = UINT64_MAX;
}

static void take_time(const char *least, const char *most)
{
    options.min_time = read_number(least);
    options.max_time = read_number(most);
}

static void take_timestamps(const char *value)
{
    options.times_are_relative = !strcmp(value, "offset");
    if (!options.times_are_relative && strcmp(value, "plain") != 0)
        options_wrong("invalid argument for option '%s': %s", name_now(), value);
}

static void take_version(const char *value)
{
    options.as_3_0 = !strcmp(value, "3.0");
    if (!options.as_3_0 && strcmp(value, "3.2") != 0)
        options_wrong("invalid argument for option '%s': %s", name_now(), value);
}

static const struct option_row rows[] = {
    {"show-all", "A", .set = &options.all,
     .doc = "print everything: anchor file, thumbnails, definitions,\nevents, and snapshots"},
    {"show-global-defs", "G", .set = &options.global_definitions,
     .doc = "print the global definitions"},
    {"show-info", "I", .set = &options.info, .doc = "print the anchor file"},
    {"show-thumbnails", "T", .set = &options.thumbnails,
     .doc = "print the headers of the thumbnails"},
    {"show-thumbnail-samples", .set = &options.samples,
     .doc = "also print the samples of the thumbnails"},
    {"show-mappings", "M", .set = &options.mappings,
     .doc = "print the tables that map local ids to global ones"},
    {"show-clock-offsets", "C", .set = &options.clock_offsets,
     .doc = "print the offsets of the locations' clocks"},
    {"timestamps", .argument = "<FORMAT>", .take = take_timestamps,
     .doc = "plain (default), or offset: relative to the global\noffset of ClockProperties"},
    {"location", "L", "<LID>", .take = take_location,
     .doc = "print only events and local definitions of location\n<LID>"},
    {"step", "s", "<N>", .take = take_step, .doc = "wait for ENTER after every <N> events"},
    {"time", .argument = "<MIN> <MAX>", .take_two = take_time,
     .doc = "print only events from time <MIN> to <MAX>"},
    {"as", .argument = "<VERSION>", .take = take_version,
     .doc = "print as otf2-print <VERSION>: 3.2 (default) or 3.0"},
    {"system-tree", .set = &options.system_tree,
     .doc = "write the system tree to a file for dot(1)"},
    {"silent", .set = &options.silent, .doc = "read all events but print none: shows only errors"},
    {"unwind-calling-context", .set = &options.unwind,
     .doc = "print all callers of a calling context, one per line,\n"
            "with a sign from the unwind distance of the event:\n"
            " '?' - the distance is undefined\n"
            " '+' - the region was entered anew\n"
            " '*' - the region was not left\n"
            " ' ' - nothing has changed in the region"},
    {"output", "o", "<FILE>", .take = take_output,
     .doc = "write to <FILE>. The ranks of an MPI job share the\nwork then"},
    {"threads", .argument = "<N>", .threads = &options.threads,
     .doc = "use <N> threads (default: one for each processor that\nthis process may use, at most "
            "eight)"},
    {"no-local-defs", .clear = &options.local_definitions, .doc = "do not read local definitions"},
    {"no-snapshots", .clear = &options.snapshots, .doc = "do not read snapshots"},
    {"warnings-as-errors", "Werror", .set = &options.warnings_are_errors,
     .doc = "a warning ends the program with an error"},
    {"debug", "d", .set = &options.debug, .doc = "print what the program is doing"},
};

static const struct command_line command = {
    .name = PROGRAM,
    .form = "[OPTION]... [--] ANCHORFILE",
    .about =
        "Print selected content of an OTF2 archive. ANCHORFILE is its .otf2 file, or the directory "
        "with it.",
    OPTION_ROWS(rows),
    .least = 1,
    .most = 1,
    .needs = "missing or too many anchorfile argument(s)",
    .is_otf2 = true,
};

void print_options(char **words)
{
    const char *path = options_read(&command, words)[0];
    if (archive_say_incomplete(path))
        exit(EXIT_FAILURE);
    options.path = archive_path(path);
    if (!options.local_definitions && (options.mappings || options.clock_offsets))
        options_wrong(
            "--no-local-defs is mutual exclusive to --show-mappings and --show-clock-offsets");
    options.thumbnails |= options.samples;
}
