/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-settings: prints the environment variables that spur knows, from their table, as text or
 * (with --markdown) as docs/settings.md.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "settings/config.h"
#include "tools/base/options.h"

/* What each type of setting accepts. */
enum {
#define CONFIG_TYPE(NAME, c_type, KIND, text) TYPE_##NAME,
#include "settings/config_types.def"
#undef CONFIG_TYPE
};
static const char *const types[] = {
#define CONFIG_TYPE(NAME, c_type, KIND, text) text,
#include "settings/config_types.def"
#undef CONFIG_TYPE
};

struct setting {
    const char *variable;
    int type;
    const char *standard; /* as written in the table, an expression of C */
    const char *help;
};

static const struct setting settings[] = {
#define CONFIG(TYPE, name, NAME, default_, help) {"SPUR_" #NAME, TYPE_##TYPE, #default_, help},
#include "settings/config.def"
#undef CONFIG
};

/* The number that "(size_t)N << SHIFT" stands for, as a user writes it: 4M. False: not of that
 * form. */
static bool print_size(const char *text)
{
    static const char cast[] = "(size_t)";
    unsigned long number;
    unsigned long shift;
    char *end;

    if (strncmp(text, cast, sizeof(cast) - 1) != 0)
        return false;
    number = strtoul(text + sizeof(cast) - 1, &end, 10);
    if (strncmp(end, " << ", 4) != 0)
        return false;
    shift = strtoul(end + 4, NULL, 10);
    printf("%lu", number << shift % 10);
    if (shift >= 10)
        putchar("?KMGT"[shift / 10 % 5]);
    return true;
}

/* The default in a user's words instead of C's: 4M, a name without its prefix, text unquoted. */
static void print_default(const struct setting *setting)
{
    const char *text = setting->standard;
    const char *last = strrchr(text, '_');
    size_t length = strlen(text);

    if (strcmp(text, "NULL") == 0) {
        fputs("none", stdout);
    } else if (strncmp(text, "SPUR_", 5) == 0 && last) {
        while (*++last)
            putchar(*last | ('a' - 'A')); /* letters only */
    } else if (!print_size(text)) {
        bool quoted = length >= 2 && text[0] == '"';

        printf("%.*s", (int)(quoted ? length - 2 : length), quoted ? text + 1 : text);
    }
}

static const struct {
    const char *name, *what;
    bool is_default;
} families[] = {
#define FAMILY(NAME, name, PARADIGM, file, is_default, what) {name, what, is_default},
#include "settings/families.def"
#undef FAMILY
};

enum { FAMILIES = sizeof families / sizeof families[0] };

/* The pages that a text names, "docs/mpi.md", become links. */
static void print_linked(const char *text)
{
    static const char folder[] = "docs/", ending[] = ".md";

    for (const char *at; (at = strstr(text, folder)); text = strstr(at, ending) + strlen(ending)) {
        const char *page = at + strlen(folder);
        int length = (int)(strstr(page, ending) + strlen(ending) - page);

        printf("%.*s[%.*s](%.*s)", (int)(at - text), text, length, page, length, page);
    }
    fputs(text, stdout);
}

static void print_rows(bool internal)
{
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        if (spur_config_is_internal(settings[i].help) != internal)
            continue;
        printf("| `%s` | %s | ", settings[i].variable, types[settings[i].type]);
        print_default(&settings[i]);
        fputs(" | ", stdout);
        print_linked(settings[i].help);
        puts(" |");
    }
}

static void print_markdown(void)
{
    puts("# Settings\n\n"
         "A program reads these environment variables once, at its start. An unknown variable that "
         "begins\n"
         "with `SPUR_`, or a bad value, causes one warning line that names the variable, and the "
         "default counts. An\n"
         "option of `spur` with a bad value, and `spur attach` with a bad variable, end before "
         "anything is started.\n"
         "`spur help settings` lists the same variables. `spur-settings --markdown` prints this "
         "page from\n"
         "`settings/config.def`.\n\n"
         "| variable | value | default | meaning |\n"
         "|---|---|---|---|");
    print_rows(false);
    puts("\n## Families of calls\n\n"
         "`SPUR_WRAP` is a comma list of these families. The word `default` in the list stands for "
         "all families that are\n"
         "recorded by default: `default,process` adds one to them.\n\n"
         "| family | default | calls |\n"
         "|---|---|---|");
    for (int i = 0; i < FAMILIES; i++)
        printf("| `%s` | %s | %s |\n", families[i].name, families[i].is_default ? "yes" : "no",
               families[i].what);
    puts("\n## Variables that spur sets\n\n"
         "Processes of a session pass these on to each other. Do not set them.\n\n"
         "| variable | value | default | meaning |\n"
         "|---|---|---|---|");
    print_rows(true);
}

static void print_text(void)
{
    puts(
        "A program reads these environment variables once, at its start. The last ones are set by\n"
        "spur itself: do not set them.\n");
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        printf("  %s: %s\n      %s; default ", settings[i].variable, types[settings[i].type],
               settings[i].help);
        print_default(&settings[i]);
        putchar('\n');
    }
    puts("\nFamilies of calls for SPUR_WRAP (the word default stands for those without a star):\n");
    for (int i = 0; i < FAMILIES; i++)
        printf("  %-9s %s %s\n", families[i].name, families[i].is_default ? " " : "*",
               families[i].what);
}

static const struct option_row rows[] = {
    {"markdown", .show = print_markdown, .doc = "the same as docs/settings.md"},
};

static const struct command_line command = {
    .name = "spur help settings",
    .form = "",
    .about = "The environment variables that spur knows.",
    OPTION_ROWS(rows),
    .needs = "spur-settings takes --markdown or nothing",
};

int main(int argc, char **argv)
{
    (void)argc;
    (void)options_read(&command, argv + 1);
    print_text();
    return 0;
}
