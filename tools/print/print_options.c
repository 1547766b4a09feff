/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/print/print_options.h"
#include "tools/base/archive_path.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options = {
    .local_definitions = true,
    .snapshots = true,
    .step = UINT64_MAX,
    .max_time = UINT64_MAX,
};

static const char usage[] =
    "Usage: " PROGRAM " [OPTION]... [--] ANCHORFILE\n"
    "Print selected content of the OTF2 archive specified by ANCHORFILE.\n"
    "\n"
    "Options:\n"
    "  -A, --show-all          print everything: anchor file, thumbnails, definitions,\n"
    "                          events, and snapshots\n"
    "  -G, --show-global-defs  print the global definitions\n"
    "  -I, --show-info         print what the anchor file says\n"
    "  -T, --show-thumbnails   print the headers of the thumbnails\n"
    "      --show-thumbnail-samples\n"
    "                          print their samples as well\n"
    "  -M, --show-mappings     print the tables that map local ids to global ones\n"
    "  -C, --show-clock-offsets\n"
    "                          print the offsets of the locations' clocks\n"
    "      --timestamps=<FORMAT>\n"
    "                          plain (default), or offset: relative to the global\n"
    "                          offset that ClockProperties has\n"
    "  -L, --location <LID>    events and local definitions of location <LID> only\n"
    "  -s, --step <N>          wait for ENTER after every <N> events\n"
    "      --time <MIN> <MAX>  only what happened from <MIN> to <MAX>\n"
    "      --system-tree       write the system tree to a file for dot(1)\n"
    "      --silent            print no events: are there errors?\n"
    "      --unwind-calling-context\n"
    "                          print all callers of a calling context, one a line; in\n"
    "                          front of it, by the unwind distance of the event:\n"
    "                           '?' - the distance is undefined\n"
    "                           '+' - the region was entered anew\n"
    "                           '*' - the region was not left\n"
    "                           ' ' - nothing has changed in the region\n"
    "      --no-local-defs     do not read local definitions\n"
    "      --no-snapshots      do not read snapshots\n"
    "  -Werror, --warnings-as-errors\n"
    "                          a warning ends the program with an error\n"
    "  -d, --debug             say what is being done\n"
    "  -V, --version           print the version\n"
    "  -h, --help              print this\n";

/* Ends in a hint and status 1. */
__attribute__((format(printf, 1, 2), noreturn)) static void wrong(const char *format, ...)
{
    va_list va;
    fputs(PROGRAM ": ", stderr);
    va_start(va, format);
    vfprintf(stderr, format, va);
    va_end(va);
    fputs("\nTry '" PROGRAM " --help' for more information.\n", stderr);
    exit(EXIT_FAILURE);
}

static uint64_t read_number(const char *option, const char *text)
{
    uint64_t number = 0;
    if (!*text)
        wrong("empty number argument for '%s'", option);
    if (text[strspn(text, "0123456789")])
        wrong("invalid number argument for %s: %s", option, text);
    for (const char *p = text; *p; p++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number))
            wrong("number argument to large for '%s': %s", option, text);
    return number;
}

/* ---- options with arguments ---- */

static void take_location(const char *option, char **arguments)
{
    options.location = read_number(option, arguments[0]);
    options.one_location = true;
}

static void take_step(const char *option, char **arguments)
{
    options.step = read_number(option, arguments[0]);
    if (!options.step) /* would never come to an end */
        options.step = UINT64_MAX;
}

static void take_time(const char *option, char **arguments)
{
    options.min_time = read_number(option, arguments[0]);
    options.max_time = read_number(option, arguments[1]);
}

static void take_timestamps(const char *option, char **arguments)
{
    options.times_are_relative = !strcmp(arguments[0], "offset");
    if (!options.times_are_relative && strcmp(arguments[0], "plain") != 0)
        wrong("invalid argument for option '%s': %s", option, arguments[0]);
}

static const struct {
    const char *brief, *full; /* the full name may also be given as --name=ARGUMENT[,ARGUMENT] */
    int narguments;
    void (*take)(const char *option, char **arguments);
} with_arguments[] = {
    {"-L", "--location", 1, take_location},
    {"-s", "--step", 1, take_step},
    {"", "--time", 2, take_time},
    {"", "--timestamps", 1, take_timestamps},
};

static const struct {
    const char *brief, *full;
    bool *flag;
    bool value;
} flags[] = {
    {"-A", "--show-all", &options.all, true},
    {"-G", "--show-global-defs", &options.global_definitions, true},
    {"-I", "--show-info", &options.info, true},
    {"-T", "--show-thumbnails", &options.thumbnails, true},
    {"", "--show-thumbnail-samples", &options.samples, true},
    {"-M", "--show-mappings", &options.mappings, true},
    {"-C", "--show-clock-offsets", &options.clock_offsets, true},
    {"", "--no-local-defs", &options.local_definitions, false},
    {"", "--no-snapshots", &options.snapshots, false},
    {"", "--system-tree", &options.system_tree, true},
    {"", "--silent", &options.silent, true},
    {"", "--unwind-calling-context", &options.unwind, true},
    {"-Werror", "--warnings-as-errors", &options.warnings_are_errors, true},
    {"-d", "--debug", &options.debug, true},
};

static bool is(const char *argument, const char *brief, const char *full)
{
    return (*brief && !strcmp(argument, brief)) || !strcmp(argument, full);
}

static bool take_flag(const char *argument)
{
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (is(argument, flags[i].brief, flags[i].full)) {
            *flags[i].flag = flags[i].value;
            return true;
        }
    return false;
}

/* How many words it took, 0 when it is none of these options. */
static int take_with_arguments(char **words)
{
    for (size_t i = 0; i < sizeof with_arguments / sizeof with_arguments[0]; i++) {
        const char *full = with_arguments[i].full;
        size_t length = strlen(full);
        int wanted = with_arguments[i].narguments;
        if (is(words[0], with_arguments[i].brief, full)) {
            for (int n = 1; n <= wanted; n++)
                if (!words[n])
                    wrong("missing argument for '%s'", words[0]);
            with_arguments[i].take(words[0], words + 1);
            return 1 + wanted;
        }
        if (strncmp(words[0], full, length) != 0 || words[0][length] != '=')
            continue;
        char *arguments[2] = {words[0] + length + 1, NULL};
        if (wanted == 2) {
            arguments[1] = strchr(arguments[0], ',');
            if (!arguments[1])
                wrong("missing argument for '%s'", full);
            *arguments[1]++ = '\0';
        }
        with_arguments[i].take(full, arguments);
        return 1;
    }
    return 0;
}

void options_read(int argc, char **argv)
{
    int i = 1;
    while (i < argc && argv[i][0] == '-') {
        if (!strcmp(argv[i], "--")) {
            i++;
            break;
        }
        if (is(argv[i], "-h", "--help")) {
            fputs(usage, stdout);
            exit(EXIT_SUCCESS);
        }
        if (is(argv[i], "-V", "--version")) {
            puts(PROGRAM ": version " SPUR_VERSION);
            exit(EXIT_SUCCESS);
        }
        int taken = take_flag(argv[i]) ? 1 : take_with_arguments(argv + i);
        if (!taken)
            wrong("unrecognized option '%s'", argv[i]);
        i += taken;
    }
    if (argc - i != 1)
        wrong("missing or too many anchorfile argument(s)");
    if (archive_say_unfinished(argv[i]))
        exit(EXIT_FAILURE);
    options.path = archive_path(argv[i]);
    if (!options.path)
        wrong("no memory");
    if (!options.local_definitions && (options.mappings || options.clock_offsets))
        wrong("--no-local-defs is mutual exclusive to --show-mappings and --show-clock-offsets");
    options.thumbnails |= options.samples;
}
