/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line of a command, from one table: its parser, its --help, and by that its manual
 * page (scripts/make_man) and its completions (scripts/completions). Every command has -h and
 * --help.
 *
 * There are two dialects. Spur's own: options may stand behind words, names may be cut short as
 * long as they are unique, wrong use is one line and status 2. That of the otf2 tools, whose
 * options, complaints and status 1 their users know: names are exact, options end at the first
 * word, and there are -V and --version.
 */
#ifndef TOOLS_BASE_OPTIONS_H
#define TOOLS_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/nearest.h"

struct option_row {
    const char *name;  /* without dashes; NULL: there is the short one only */
    const char *brief; /* the short one, without its dash; NULL: there is none */
    const char
        *argument;     /* as the help calls it; NULL: there is none; "[=X]": it may be left out */
    const char *doc;   /* with newlines where the help has some; NULL: not in the help */
    const char *needs; /* what is missing without the argument; NULL: "a value" */

    /* What it does is one of these. */
    bool *set;         /* becomes true */
    bool *clear;       /* becomes false */
    const char **text; /* becomes the argument */
    int *choice;       /* becomes `value` */
    int value;
    unsigned *threads; /* becomes the argument: 1 to 1024 */
    void (*take)(const char *value);
    void (*take_two)(const char *first, const char *second);
    void (*show)(void); /* prints, and that is all that is done */

    const char *user; /* for take() */
};

struct command_line {
    const char *name;  /* as users type it: "spur report" */
    const char *form;  /* what stands behind the name in the usage; a newline is one there */
    const char *about; /* behind the usage */
    const struct option_row *rows;
    size_t n_rows;
    void (*list)(void);   /* behind the options: prints more; NULL: there is none */
    const char *more;     /* the end of the help; NULL: nothing */
    int least, most;      /* words that are no options */
    const char *needs;    /* what is said when there are less or more */
    bool ends_at_word;    /* what stands behind the first word is not spur's */
    bool is_otf2;         /* the dialect of the otf2 tools */
    bool ends_at_unknown; /* an option that is not known counts as a word */
};

#define OPTION_ROWS(table) .rows = (table), .n_rows = sizeof(table) / sizeof(table)[0]

/*
 * Does what the options of `words` (argv + 1) say, and returns the other words, NULL behind the
 * last; ends the process for --help (status 0) and wrong use.
 */
char **options_read(const struct command_line *command, char **words);

void options_help(const struct command_line *command);

/* A row of a help: `text` in a column beside `head`, all lines of it below each other. */
void options_beside(const char *head, size_t column, const char *text);

/* Wrong use: says so, names --help, and ends the process. */
_Noreturn void options_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Wrong use: the option takes one of these names, not `word`. Says which name may be meant. */
_Noreturn void options_unknown(const char *option, const char *word, names_row *name, size_t n);

/* What an option is given as a number, or wrong use. */
uint64_t options_number(const char *value);

/* While an option is taken: its row, and it with its argument as the user has typed it. */
const struct option_row *options_row(void);
const char *options_typed(void);

/*
 * A number as the otf2 tools read and refuse it. `name`: of what, in a complaint; `bare`: the same
 * where it is no number, for which they write it in another way.
 */
uint64_t options_otf2_number(const char *text, const char *name, const char *bare);

#endif
