/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/define/finish_usage.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BITS = 64 };

static void add(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What does not fit is left out. */
static void add(char *text, const char *format, ...)
{
    size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, FINISH_USAGE_BYTES - length, format, args);
    va_end(args);
}

static bool has(const struct spur_cores *cores, unsigned core)
{
    return core < SPUR_USAGE_CORES && cores->word[core / WORD_BITS] >> core % WORD_BITS & 1;
}

/* "0-3,8"; nothing if there are none. */
static void add_cores(char *text, const char *word, const struct spur_cores *cores)
{
    bool is_first = true;
    for (unsigned core = 0; core < SPUR_USAGE_CORES; core++) {
        if (!has(cores, core))
            continue;
        unsigned end = core;
        while (has(cores, end + 1))
            end++;
        if (is_first)
            add(text, "%s%s=", *text ? " " : "", word);
        add(text, "%s%u", is_first ? "" : ",", core);
        if (end > core)
            add(text, "-%u", end);
        is_first = false;
        core = end;
    }
}

static bool is_same(const struct spur_cores *a, const struct spur_cores *b)
{
    for (int i = 0; i < SPUR_USAGE_WORDS; i++)
        if (a->word[i] != b->word[i])
            return false;
    return true;
}

void finish_usage_placement(const struct spur_usage *usage, char *text)
{
    static const struct spur_cores none;
    struct spur_cores nodes = {{usage->nodes}};
    bool has_moved = !is_same(&usage->may, &none) && !is_same(&usage->may, &usage->may_first);
    *text = '\0';
    if (!usage->looks)
        return;
    add_cores(text, "cores", has_moved ? &usage->may : &usage->may_first);
    if (has_moved)
        add_cores(text, "at_start", &usage->may_first);
    add_cores(text, "seen", &usage->was);
    add_cores(text, "numa_nodes", &nodes);
}

void finish_usage_counts(const struct spur_usage *usage, char *text)
{
    *text = '\0';
    if (usage->looks < 2)
        return;
#define COUNT(NAME, word)                                                                          \
    if (usage->last[SPUR_USAGE_##NAME] >= usage->first[SPUR_USAGE_##NAME])                         \
        add(text, "%s" word "=%" PRIu64, *text ? " " : "",                                         \
            usage->last[SPUR_USAGE_##NAME] - usage->first[SPUR_USAGE_##NAME]);
    SPUR_USAGE_COUNTS(COUNT)
#undef COUNT
    if (usage->peak)
        add(text, " peak_kib=%" PRIu64, usage->peak);
    if (usage->has_migrations)
        add(text, " migrations=%" PRIu64, usage->migrations);
}
