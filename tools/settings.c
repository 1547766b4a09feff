/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * spur-settings: prints the environment variables that spur knows, from their table, as text or
 * (with --markdown) as docs/settings.md.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What each type of setting accepts, for the reader. */
#define TYPE_TEXT "text"
#define TYPE_SIZE "bytes, with K, M or G"
#define TYPE_CLOCK "auto, tsc or monotonic"
#define TYPE_LEVEL "0 to 9"

struct setting {
    const char *variable;
    const char *type;
    const char *standard; /* as written in the table, an expression of C */
    const char *help;
};

static const struct setting settings[] = {
#define CONFIG(TYPE, name, NAME, default_, help) {"SPUR_" #NAME, TYPE_##TYPE, #default_, help},
#include "agent/config.def"
#undef CONFIG
};

/* The default as a user writes it: 4M instead of the expression, a name instead of a constant. */
static void print_default(const struct setting *setting)
{
    const char *text = setting->standard;
    const char *last = strrchr(text, '_');
    unsigned long number;
    unsigned shift;

    if (strcmp(text, "NULL") == 0) {
        fputs("none", stdout);
    } else if (sscanf(text, "(size_t)%lu << %u", &number, &shift) == 2) {
        printf("%lu%c", number << (shift % 10), "?KMG"[shift / 10 % 4]);
    } else if (strncmp(text, "SPUR_", 5) == 0 && last) {
        for (const char *c = last + 1; *c; c++) {
            putchar(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
        }
    } else {
        size_t length = strlen(text);
        bool quoted = length >= 2 && text[0] == '"';

        printf("%.*s", (int)(quoted ? length - 2 : length), quoted ? text + 1 : text);
    }
}

static void print_markdown(void)
{
    puts("# Settings\n\n"
         "Environment variables, read once when a program starts. A variable that begins with\n"
         "`SPUR_` and is not listed here, or has a bad value, is one warning line that names it.\n"
         "This page is what `spur-settings --markdown` prints from `agent/config.def`.\n\n"
         "| variable | value | default | meaning |\n"
         "|---|---|---|---|");
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        printf("| `%s` | %s | ", settings[i].variable, settings[i].type);
        print_default(&settings[i]);
        printf(" | %s |\n", settings[i].help);
    }
}

static void print_text(void)
{
    puts("Environment variables, read once when a program starts:\n");
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
        printf("  %s: %s\n      %s; default ", settings[i].variable, settings[i].type,
               settings[i].help);
        print_default(&settings[i]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    if (argc > 2 || (argc == 2 && strcmp(argv[1], "--markdown") != 0)) {
        fputs("spur: spur-settings takes --markdown or nothing\n", stderr);
        return 2;
    }
    if (argc == 2) {
        print_markdown();
    } else {
        print_text();
    }
    return 0;
}
