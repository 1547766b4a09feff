/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/launch/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum act { PUT, OUTPUT, FILTER, METRICS, HELP, VERSION };

struct option {
    const char *word;
    const char *argument;
    const char *needs;
    const char *what;
    const char *help;
    enum act act;
    char letter;
};

static const struct option options[] = {
#define OPTION(letter, word, argument, needs, act, what, help)                                     \
    {word, argument, needs, what, help, act, letter},
#include "tools/launch/launch_options.def"
#undef OPTION
};

static const struct {
    const char *form;
    const char *help;
} commands[] = {
#define COMMAND(name, program, least, most, needs, pass, form, help) {form, help},
#include "tools/launch/launch_commands.def"
#undef COMMAND
};

enum { OPTIONS = sizeof(options) / sizeof(options[0]) };
enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

/* ---- the help ---- */

/* Text beside its head, all lines of it below each other. */
static void print_beside(const char *head, int column, const char *text)
{
    bool is_long = (int)strlen(head) >= column;

    printf("%-*s%s", column, head, is_long ? "  " : "");
    for (;; text++) {
        int length = (int)strcspn(text, "\n");

        printf("%.*s\n", length, text);
        text += length;
        if (!*text)
            return;
        printf("%*s", column, "");
    }
}

static void print_option(const struct option *option)
{
    enum { COLUMN = 21 };
    char head[64];
    char letter[] = {'-', option->letter, ',', '\0'};

    snprintf(head, sizeof(head), "  %-3s --%s%s%s", option->letter ? letter : "", option->word,
             option->argument ? " " : "", option->argument ? option->argument : "");
    print_beside(head, COLUMN, option->help);
}

void launch_print_help(void)
{
    enum { COLUMN = 24 };

    puts("usage: spur [OPTION]... COMMAND [ARGUMENT]...\n"
         "       spur doctor PROGRAM | recover DIR | snapshot PID|DIR | unpack ARCHIVE\n"
         "       spur on PID|DIR | off PID|DIR | metrics [PATTERN] | help settings\n"
         "       spur check | report | print | marker | snapshots | estimator | otf2-config ...\n\n"
         "Runs COMMAND and records what it does as an OTF2 archive. COMMAND needs no change and no "
         "new build.\n\n"
         "  spur mpirun -n 4 ./app      the whole job, one archive\n"
         "  mpirun -n 4 spur ./app      the same from within a job, as batch systems want it\n"
         "  spur ./app                  one program and all that it starts\n");
    for (int i = 0; i < OPTIONS; i++)
        print_option(&options[i]);
    putchar('\n');
    for (int i = 0; i < COMMANDS; i++) {
        char head[64];

        if (!commands[i].form)
            continue;
        snprintf(head, sizeof(head), "  spur %s", commands[i].form);
        print_beside(head, COLUMN, commands[i].help);
    }
    puts("\nThe exit status is that of COMMAND.");
}

/* ---- what is given ---- */

static void put(const char *name, const char *value)
{
    size_t length = strcspn(name, "=");
    char *variable = launch_text("%.*s", (int)length, name);

    if (setenv(variable, value, 1) != 0)
        launch_wrong("no memory");
    free(variable);
}

/* `typed` is how the user wrote it, for what is said about it. */
static void refuse_bad(const struct launch *launch, const struct option *option,
                       const char *argument, const char *typed)
{
    char *variable = launch_text("%.*s", (int)strcspn(option->what, "="), option->what);
    const char *why = launch_judge_value(variable, argument);

    if (!why && option->act == FILTER)
        why = launch_judge_filter(argument);
    if (why)
        launch_wrong("%s %s", typed, why);
    if (option->act == METRICS && !launch_knows_metrics(launch, typed, argument))
        exit(LAUNCH_MISUSE);
    free(variable);
}

static void obey(struct launch *launch, const struct option *option, const char *argument,
                 const char *typed)
{
    switch (option->act) {
    case PUT:
    case METRICS:
        if (option->argument)
            refuse_bad(launch, option, argument, typed);
        put(option->what, option->argument ? argument : strchr(option->what, '=') + 1);
        return;
    case OUTPUT:
        if (!*argument)
            launch_wrong("the output directory has no name");
        launch->output = argument;
        return;
    case FILTER: /* processes of the job may work in other directories */
        refuse_bad(launch, option, argument, typed);
        put(option->what, launch_absolute(argument));
        return;
    case HELP:
        launch_print_help();
        exit(EXIT_SUCCESS);
    case VERSION:
        puts("spur " SPUR_VERSION);
        exit(EXIT_SUCCESS);
    }
}

/*
 * The option that `word` is, NULL: none. *argument is what it says of its argument
 * (--word=argument, -largument), NULL: nothing.
 */
static const struct option *recognise(const char *word, const char **argument)
{
    for (int i = 0; i < OPTIONS; i++) {
        const struct option *option = &options[i];
        size_t length = strlen(option->word);

        *argument = NULL;
        if (option->letter && word[1] == option->letter && (!word[2] || option->argument)) {
            *argument = word[2] ? word + 2 : NULL;
            return option;
        }
        if (word[1] != '-' || strncmp(word + 2, option->word, length) != 0)
            continue;
        if (!word[2 + length])
            return option;
        if (word[2 + length] == '=' && option->argument) {
            *argument = word + 2 + length + 1;
            return option;
        }
    }
    return NULL;
}

char **launch_options(struct launch *launch, char **words)
{
    for (; *words && **words == '-'; words++) {
        const char *argument;
        const struct option *option;
        char *typed;

        if (strcmp(*words, "--") == 0) {
            words++;
            break;
        }
        option = recognise(*words, &argument);
        if (!option)
            launch_wrong("unknown option %s", *words);
        typed = launch_text("%s", *words);
        if (option->argument && !argument) {
            if (!words[1])
                launch_wrong("option %s needs %s", *words, option->needs);
            argument = *++words;
            free(typed);
            typed = launch_text("%s %s", words[-1], *argument ? argument : "''");
        }
        obey(launch, option, argument ? argument : "", typed);
        free(typed);
    }
    return words;
}
