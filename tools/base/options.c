/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/base/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/say.h"
#include "tools/base/stream_fault.h"

static const struct command_line *current;
static const struct option_row *row_now;
static char *typed;

/* ---- what every command has ---- */

static void show_help(void)
{
    options_help(current);
}

static void show_version(void)
{
    printf("%s: version " SPUR_VERSION "\n", current->name);
}

static const struct option_row help_row = {.name = "help",
                                           .brief = "h",
                                           .show = show_help,
                                           .doc = "print this help"};
static const struct option_row version_row = {.name = "version",
                                              .brief = "V",
                                              .show = show_version,
                                              .doc = "print the version"};

/* The rows and those that all have; NULL behind the last. */
static const struct option_row *row_at(const struct command_line *c, size_t i)
{
    if (i < c->n_rows)
        return &c->rows[i];
    if (i == c->n_rows)
        return &help_row;
    return i == c->n_rows + 1 && c->is_otf2 ? &version_row : NULL;
}

/* ---- the help ---- */

enum { HEAD_BYTES = 80, HEAD_MOST = 28 };

static size_t head_of(const struct option_row *row, char head[HEAD_BYTES])
{
    char brief[16] = "   ";
    if (row->brief)
        snprintf(brief, sizeof brief, "-%s%s", row->brief, row->name ? "," : "");
    return (size_t)snprintf(head, HEAD_BYTES, "  %s%s%s%s%s", brief, row->name ? " --" : "",
                            row->name ? row->name : "",
                            row->argument && row->argument[0] != '[' ? " " : "",
                            row->argument ? row->argument : "");
}

void options_beside(const char *head, size_t column, const char *text)
{
    bool is_long = strlen(head) + 2 > column;
    printf(is_long ? "%s\n%*s" : "%s%*s", head, (int)(is_long ? column : column - strlen(head)),
           "");
    for (;; text++) {
        int length = (int)strcspn(text, "\n");
        printf("%.*s\n", length, text);
        text += length;
        if (!*text)
            return;
        printf("%*s", (int)column, "");
    }
}

static void print_rows(const struct command_line *c)
{
    char head[HEAD_BYTES];
    const struct option_row *row;
    size_t column = 0;
    for (size_t i = 0; (row = row_at(c, i)); i++) {
        size_t n = row->doc ? head_of(row, head) + 2 : 0;
        column = n > column && n <= HEAD_MOST ? n : column;
    }
    for (size_t i = 0; (row = row_at(c, i)); i++)
        if (row->doc) {
            head_of(row, head);
            options_beside(head, column, row->doc);
        }
}

void options_help(const struct command_line *c)
{
    printf("usage: %s %s\n\n%s\n\n", c->name, c->form, c->about);
    print_rows(c);
    if (c->list)
        c->list();
    if (c->more)
        printf("\n%s\n", c->more);
}

/* ---- what is wrong ---- */

void options_wrong(const char *format, ...)
{
    va_list va;
    va_start(va, format);
    char *text = vmake_text(format, va);
    va_end(va);
    fflush(stdout);
    if (current->is_otf2) {
        fprintf(stderr, "%s: %s\nTry '%s --help' for more information.\n", current->name, text,
                current->name);
        exit(EXIT_FAILURE);
    }
    say("%s; see '%s --help'", text, current->name);
    exit(2);
}

void options_unknown(const char *option, const char *word, names_row *name, size_t n)
{
    const char *nearest = names_nearest(word, name, n);
    if (nearest)
        options_wrong("%s knows no '%s': did you mean '%s'", option, word, nearest);
    options_wrong("%s knows no '%s', but %s", option, word, names_list(name, n));
}

uint64_t options_number(const char *value)
{
    char *end;
    unsigned long long n = strtoull(value, &end, 10);
    if (!*value || *end || value[0] == '-')
        options_wrong("--%s wants a number, not '%s'", row_now->name, value);
    return n;
}

uint64_t options_otf2_number(const char *text, const char *name, const char *bare)
{
    uint64_t number = 0;
    if (!*text)
        options_wrong("empty number argument for %s", name);
    if (text[strspn(text, "0123456789")])
        options_wrong("invalid number argument for %s: %s", bare, text);
    for (const char *digit = text; *digit; digit++)
        if (__builtin_mul_overflow(number, 10U, &number) ||
            __builtin_add_overflow(number, (uint64_t)(*digit - '0'), &number))
            options_wrong("number argument to large for %s: %s", name, text);
    return number;
}

/* ---- words ---- */

const struct option_row *options_row(void)
{
    return row_now;
}

const char *options_typed(void)
{
    return typed;
}

/* --name, --name=value. In spur's dialect the beginning of a name is enough, if no other has it. */
static const struct option_row *find_long(const struct command_line *c, const char *word,
                                          char **value)
{
    const struct option_row *found = NULL;
    const struct option_row *row;
    size_t length = strcspn(word, "=");
    size_t n = 0;
    *value = word[length] ? (char *)(uintptr_t)(word + length + 1) : NULL;
    for (size_t i = 0; (row = row_at(c, i)); i++) {
        if (!row->name || strncmp(row->name, word, length) != 0 || (*value && !row->argument))
            continue;
        if (!row->name[length])
            return row;
        found = row;
        n++;
    }
    return n == 1 && length && !c->is_otf2 && !c->ends_at_word ? found : NULL;
}

/* -x, and in spur's dialect -xvalue. */
static const struct option_row *find_brief(const struct command_line *c, char *word, char **value)
{
    const struct option_row *row;
    *value = NULL;
    for (size_t i = 0; (row = row_at(c, i)); i++) {
        if (!row->brief)
            continue;
        if (!strcmp(row->brief, word))
            return row;
        if (!c->is_otf2 && row->argument && *row->brief == *word) {
            *value = word + 1;
            return row;
        }
    }
    return NULL;
}

static unsigned threads_of(const char *value)
{
    enum { MOST = 1024 };
    uint64_t n = options_number(value);
    if (n < 1 || n > MOST)
        options_wrong("--threads is 1 to %d", MOST);
    return (unsigned)n;
}

static void obey(const struct option_row *row, const char *value, const char *second)
{
    if (row->set)
        *row->set = true;
    if (row->clear)
        *row->clear = false;
    if (row->text)
        *row->text = value;
    if (row->choice)
        *row->choice = row->value;
    if (row->threads && value)
        *row->threads = threads_of(value);
    if (row->take)
        row->take(value);
    if (row->take_two)
        row->take_two(value, second);
    if (row->show) {
        row->show();
        exit(EXIT_SUCCESS);
    }
}

_Noreturn static void miss(const struct option_row *row, const char *word)
{
    if (current->is_otf2)
        options_wrong("missing argument for '%.*s'", (int)strcspn(word, "="), word);
    options_wrong("option %s needs %s", word, row->needs ? row->needs : "a value");
}

/* Takes an option and its arguments; returns what stands behind. */
static char **take(const struct option_row *row, char *value, char **words)
{
    char *second = NULL;
    bool is_complete = !row->argument || value || row->argument[0] == '[';
    int behind = is_complete ? 1 : row->take_two ? 3 : 2;
    for (int i = 1; i < behind; i++)
        if (!words[i])
            miss(row, words[0]);
    if (behind > 1)
        value = words[1];
    if (behind > 2)
        second = words[2];
    if (value && behind == 1 && row->take_two) { /* --name=first,second */
        second = strchr(value, ',');
        if (!second)
            miss(row, words[0]);
        *second++ = '\0';
    }
    free(typed);
    typed = behind > 1 ? make_text("%s %s", words[0], value && *value ? value : "''")
                       : make_text("%s", words[0]);
    row_now = row;
    obey(row, value, second);
    return words + behind;
}

static bool is_option(const struct command_line *c, const char *word)
{
    return word[0] == '-' && (word[1] || c->is_otf2);
}

char **options_read(const struct command_line *c, char **words)
{
    char **kept = words; /* words that are none of options move to the front */
    int n = 0;
    current = c;
    stream_watch_output();
    for (char **at = words; *at;) {
        char *value = NULL;
        const struct option_row *row = NULL;
        if (is_option(c, *at) && strcmp(*at, "--") != 0)
            row = at[0][1] == '-' ? find_long(c, *at + 2, &value) : find_brief(c, *at + 1, &value);
        if (row) {
            at = take(row, value, at);
            continue;
        }
        bool is_end = !strcmp(*at, "--") && !c->ends_at_unknown;
        if (is_option(c, *at) && !is_end && !c->ends_at_unknown)
            options_wrong(c->is_otf2 ? "unrecognized option '%s'" : "unknown option %s", *at);
        at += is_end;
        do
            if (*at)
                kept[n++] = *at++;
        while (*at && (is_end || c->ends_at_word || c->is_otf2));
    }
    kept[n] = NULL;
    if (n < c->least || n > c->most)
        options_wrong("%s", c->needs);
    return kept;
}
