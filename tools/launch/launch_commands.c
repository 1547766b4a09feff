/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/fail.h"
#include "tools/base/options.h"
#include "tools/launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/program.h"
#include "tools/base/say.h"
#include "tools/launch/inherited.h"

enum { MANY = INT_MAX };
enum pass { ARGUMENTS, NAMED, AGENT, HELP };

struct command {
    const char *name;
    const char *program;
    int least, most;
    const char *needs;
    enum pass pass;
};

static const struct command commands[] = {
#define COMMAND(name, program, least, most, needs, pass, form, help)                               \
    {name, program, least, most, needs, pass},
#include "tools/launch/launch_commands.def"
#undef COMMAND
};

/* Why a command may not be there. */
static const char *why_missing(const char *program)
{
    static const struct {
        const char *program, *why;
    } parts[] = {
        {"spur-unpack", "spur was built without zlib"},
        {"spur-otf2-config",
         "it comes with the headers of libspur-otf2 (package libspur-otf2-dev)"},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].program, program) == 0)
            return parts[i].why;
    return "it is a part of spur; install spur anew";
}

/* `arguments` has room for a word before it. */
_Noreturn static void become(const struct launch *launch, const char *program, char **arguments)
{
    const struct inherited_libraries none = {NULL, NULL};
    char *command = make_text("%s/%s", launch->libexec, program);
    char path[PROGRAM_PATH_BYTES];
    const char *foreign = program_is_foreign(command, command, path);
    int error;

    if (foreign)
        fail("%s %s", command, foreign);
    *--arguments = command;
    inherited_give_back(&none);
    execv(command, arguments);
    error = errno;
    say("%s: %s%s%s", command, strerror(error), error == ENOENT ? ": " : "",
        error == ENOENT ? why_missing(program) : "");
    exit(error == ENOENT ? LAUNCH_NOT_FOUND : LAUNCH_CANNOT_EXECUTE);
}

static char **with_agent(const struct launch *launch, char *program)
{
    static char option[] = "-p";
    static char *words[5];

    words[1] = option;
    words[2] = make_text("%s", launch->library);
    words[3] = program;
    return words + 1;
}

static void obey(const struct launch *launch, const struct command *command, char **words);

static bool is_help(const char *word)
{
    return word && (strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0);
}

_Noreturn static void list_commands(void)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        puts(commands[i].name);
    exit(EXIT_SUCCESS);
}

static const char *command_name(size_t i)
{
    return commands[i].name;
}

const char *launch_nearest_command(const char *word)
{
    return names_nearest(word, command_name, sizeof commands / sizeof commands[0]);
}

/* "help settings" returns: a program does that. `asked` are the words behind "help". */
static void help(const struct launch *launch, char **asked)
{
    static char option[] = "--help";
    static char *words[4]; /* room before them, as words of the command line have it */
    const char *about = asked[0];

    if (!about || !*about || is_help(about)) {
        launch_print_help();
        exit(EXIT_SUCCESS);
    }
    if (strcmp(about, "settings") == 0)
        return;
    if (strcmp(about, "commands") == 0)
        list_commands();
    if (strcmp(about, "complete") == 0)
        become(launch, "spur-complete", asked + 1);
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(about, commands[i].name) == 0) {
            words[1] = make_text("%s", about);
            words[2] = option;
            obey(launch, &commands[i], words + 1);
        }
    options_unknown("help", about, command_name, sizeof commands / sizeof commands[0]);
}

static void obey(const struct launch *launch, const struct command *command, char **words)
{
    static char *none[2];
    int n = 0;

    while (words[1 + n])
        n++;
    if (n < command->least || n > command->most)
        options_wrong("'spur %s' needs %s", command->name, command->needs);
    switch (command->pass) {
    case HELP:
        help(launch, words + 1);
        become(launch, command->program, none + 1);
    case AGENT:
        become(launch, command->program, with_agent(launch, words[1]));
    case NAMED:
        become(launch, command->program, is_help(words[1]) ? words + 1 : words);
    case ARGUMENTS:
        become(launch, command->program, words + 1);
    }
}

void launch_command(const struct launch *launch, char **words)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(words[0], commands[i].name) == 0)
            obey(launch, &commands[i], words);
}
