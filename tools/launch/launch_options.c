/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/launch/launch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/options.h"

static struct launch *launch;

/* ---- what is given ---- */

/* Refuses the value of a setting that would only be a warning when the job runs. */
static void refuse_bad(const char *argument, const char *why_no_file)
{
    const char *what = options_row()->user;
    char *variable = make_text("%.*s", (int)strcspn(what, "="), what);
    const char *why = launch_judge_value(variable, argument);

    if (!why)
        why = why_no_file;
    if (why)
        options_wrong("%s %s", options_typed(), why);
    free(variable);
}

static void set(const char *value)
{
    const char *what = options_row()->user;
    char *variable = make_text("%.*s", (int)strcspn(what, "="), what);

    if (setenv(variable, value, 1) != 0)
        fail("no memory");
    free(variable);
}

static void put(const char *argument)
{
    if (argument)
        refuse_bad(argument, NULL);
    set(argument ? argument : strchr(options_row()->user, '=') + 1);
}

static void put_record(const char *argument)
{
    refuse_bad(argument, NULL);
    launch_spread_selection(argument, true);
}

static void put_metrics(const char *argument)
{
    refuse_bad(argument, NULL);
    if (!launch_knows_metrics(launch, options_typed(), argument))
        exit(LAUNCH_MISUSE);
    set(argument);
}

/* Processes of the job may work in other directories. */
static void put_filter(const char *argument)
{
    refuse_bad(argument, launch_judge_filter(argument));
    set(launch_absolute(argument));
}

static void put_path(const char *argument)
{
    refuse_bad(argument, NULL);
    set(launch_absolute(argument));
}

static void set_output(const char *argument)
{
    if (!*argument)
        options_wrong("the output directory has no name");
    launch->output = argument;
}

static void show_version(void)
{
    puts("spur " SPUR_VERSION);
}

/* ---- all of them ---- */

#define ACT_PUT .take = put
#define ACT_RECORD .take = put_record
#define ACT_METRICS .take = put_metrics
#define ACT_FILTER .take = put_filter
#define ACT_PATH .take = put_path
#define ACT_OUTPUT .take = set_output
#define ACT_VERSION .show = show_version

static const struct option_row rows[] = {
#define OPTION(letter, word, argument, needs, act, what, help)                                     \
    {word, letter, argument, help, needs, ACT_##act, .user = (what)},
#include "tools/launch/launch_options.def"
#undef OPTION
};

static void list_commands(void)
{
    enum { COLUMN = 26 };
    static const struct {
        const char *form;
        const char *help;
    } commands[] = {
#define COMMAND(name, program, least, most, needs, pass, form, help) {form, help},
#include "tools/launch/launch_commands.def"
#undef COMMAND
    };

    putchar('\n');
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        char *head = make_text("  spur %s", commands[i].form ? commands[i].form : "");

        if (commands[i].form)
            options_beside(head, COLUMN, commands[i].help);
        free(head);
    }
}

static const struct command_line command = {
    .name = "spur",
    .form = "[OPTION]... COMMAND [ARGUMENT]...\n"
            "       spur doctor PROGRAM | recover DIR | snapshot PID|DIR\n"
            "       spur pack ARCHIVE | unpack ARCHIVE\n"
            "       spur on PID|DIR | off PID|DIR | metrics [PATTERN] | help settings\n"
            "       spur report | view | export | query | check | print ...",
    .about =
        "Runs COMMAND and records what it does as an OTF2 archive. COMMAND needs no change and no "
        "new build.\n\n"
        "  spur mpirun -n 4 ./app      the whole job, one archive\n"
        "  mpirun -n 4 spur ./app      the same from within a job, as batch systems want it\n"
        "  spur ./app                  one program and all that it starts",
    OPTION_ROWS(rows),
    .list = list_commands,
    .more = "The exit status is that of COMMAND.",
    .least = 1,
    .most = INT_MAX,
    .needs = "no command",
    .ends_at_word = true,
};

char **launch_options(struct launch *of, char **words)
{
    launch = of;
    return options_read(&command, words);
}

void launch_print_help(void)
{
    options_help(&command);
}
