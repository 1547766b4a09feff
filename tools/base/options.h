/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of a command, defined by a single table. From the table come the parser, the
 * text of --help, the manual page (scripts/make_man) and the completions (scripts/completions).
 * Every command has -h and --help.
 *
 * There are two dialects. Spur's own dialect: options may stand behind words, unique abbreviations
 * of names are allowed, wrong use causes one line and status 2. The dialect of the otf2 tools, with
 * options, complaints and status 1 as their users know them: names are exact, options end at the
 * first word, and there are -V and --version.
 */
#ifndef TOOLS_BASE_OPTIONS_H
#define TOOLS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/nearest.h"

struct option_row {
    const char *name;  /* without dashes; NULL: there is only the short name */
    const char *brief; /* the short name, without its dash; NULL: no short name */
    const char
        *argument; /* name of the argument in the help; NULL: no argument; "[=X]": may be omitted */
    const char *doc;   /* with the newlines of the help; NULL: not in the help */
    const char *needs; /* the missing thing, if there is no argument; NULL: "a value" */

    /* The effect of the option: exactly one of these is set. */
    bool *set;         /* becomes true */
    bool *clear;       /* becomes false */
    const char **text; /* becomes the argument */
    int *choice;       /* becomes `value` */
    int value;
    unsigned *threads; /* becomes the argument: 1 to 1024 */
    void (*take)(const char *value);
    void (*take_two)(const char *first, const char *second);
    void (*show)(void); /* prints, and then the command ends */

    const char *user; /* passed to take() */
};

struct command_line {
    const char *name;  /* as users type it: "spur report" */
    const char *form;  /* text behind the name in the usage; a newline is a newline there */
    const char *about; /* text behind the usage */
    const struct option_row *rows;
    size_t n_rows;
    void (*list)(void);   /* prints more behind the options; NULL: nothing more */
    const char *more;     /* the end of the help; NULL: nothing */
    int least, most;      /* least and greatest number of words that are no options */
    const char *needs;    /* the complaint when there are fewer or more words */
    bool ends_at_word;    /* the words behind the first word are not spur's */
    bool is_otf2;         /* the dialect of the otf2 tools */
    bool ends_at_unknown; /* an unknown option counts as a word */
};

#define OPTION_ROWS(table) .rows = (table), .n_rows = sizeof(table) / sizeof(table)[0]

/*
 * Carries out the options of `words` (argv + 1), and returns the remaining words, with NULL behind
 * the last word. Ends the process for --help (status 0) and for wrong use.
 */
char **options_read(const struct command_line *command, char **words);

void options_help(const struct command_line *command);

/* A row of a help: `text` in a column beside `head`, all lines of `text` below each other. */
void options_beside(const char *head, size_t column, const char *text);

/* Wrong use: prints the complaint, names --help, and ends the process. */
_Noreturn void options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Wrong use: the option takes the given names, but not `word`. Suggests the name that may be meant.
 */
_Noreturn void options_unknown(const char *option, const char *word, names_row *name, size_t n);

/* The argument of an option as a number; anything else is wrong use. */
uint64_t options_number(const char *value);

/* While an option is taken: its row; and the option with its argument as typed by the user. */
const struct option_row *options_row(void);
const char *options_typed(void);

/*
 * A number as the otf2 tools read and refuse numbers. `name`: the thing that is numbered, in a
 * complaint; `bare`: the same in a complaint about a text that is no number, where the otf2 tools
 * write the name in another way.
 */
uint64_t options_otf2_number(const char *text, const char *name, const char *bare);

#endif
