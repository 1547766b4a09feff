/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/filter.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* ---- patterns ---- */

static const struct {
    const char *name;
    int (*has)(int);
} classes[] = {
    {"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
    {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
    {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit},
};

/*
 * Matches "[:alpha:]" at `p`. Returns the text behind the class, and whether `c` is in the class;
 * NULL: no class.
 */
static const char *match_class(const char *p, unsigned char c, bool *is_in)
{
    if (p[0] != '[' || p[1] != ':')
        return NULL;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        size_t length = strlen(classes[i].name);
        if (strncmp(p + 2, classes[i].name, length) == 0 && strncmp(p + 2 + length, ":]", 2) == 0) {
            *is_in |= classes[i].has(c) != 0;
            return p + 2 + length + 2;
        }
    }
    return NULL;
}

static const char *one_byte(const char *p, unsigned char *byte)
{
    p += *p == '\\' && p[1];
    *byte = (unsigned char)*p;
    return p + 1;
}

/*
 * Matches the list behind a "[". Returns the text behind the "]", or NULL without a "]": then the
 * "[" begins no list.
 */
static const char *match_list(const char *p, unsigned char c, bool *is_in)
{
    bool is_negated = *p == '!' || *p == '^';
    p += is_negated;
    *is_in = false;
    for (const char *first = p; *p && (*p != ']' || p == first);) {
        const char *behind = match_class(p, c, is_in);
        if (behind) {
            p = behind;
            continue;
        }
        unsigned char low, high;
        p = one_byte(p, &low);
        high = low;
        if (p[0] == '-' && p[1] && p[1] != ']')
            p = one_byte(p + 1, &high);
        *is_in |= low <= c && c <= high;
    }
    *is_in ^= is_negated;
    return *p ? p + 1 : NULL;
}

/*
 * Matches a single item of the pattern, no star, against a byte. Returns the text behind the item,
 * or NULL.
 */
static const char *match_one(const char *p, unsigned char c)
{
    bool is_in;
    if (*p == '?')
        return p + 1;
    const char *behind = *p == '[' ? match_list(p + 1, c, &is_in) : NULL;
    if (behind)
        return is_in ? behind : NULL;
    if (!*p)
        return NULL;
    unsigned char byte;
    behind = one_byte(p, &byte);
    return byte == c ? behind : NULL;
}

/*
 * Only the last star may have to take more: linear time, except for patterns that repeat
 * themselves.
 */
bool spur_pattern_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *taken = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            taken = name;
            continue;
        }
        const char *behind = match_one(pattern, (unsigned char)*name);
        if (behind) {
            pattern = behind;
            name++;
        } else if (star) {
            pattern = star;
            name = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}

/* ---- rules ---- */

struct rule {
    const char *pattern;
    bool is_exclude, is_mangled, is_file;
};

struct spur_filter {
    struct rule *rules;
    size_t n, room;
    bool has_region_rules, has_file_rules;
    size_t bytes;
    char text[];
};

/* The state of the parser: between blocks, in a block, behind a word like INCLUDE. */
struct place {
    bool is_in_block, is_file, has_verb, is_exclude, is_mangled;
};

static const char *begin_block(struct place *at, bool is_file)
{
    if (at->is_in_block)
        return "begins a block within a block";
    *at = (struct place){.is_in_block = true, .is_file = is_file};
    return NULL;
}

static const char *end_block(struct place *at, bool is_file)
{
    if (!at->is_in_block || at->is_file != is_file)
        return "ends a block that was not begun";
    *at = (struct place){0};
    return NULL;
}

static const char *take_verb(struct place *at, bool is_exclude)
{
    if (!at->is_in_block)
        return "is outside of a block";
    at->has_verb = true;
    at->is_exclude = is_exclude;
    at->is_mangled = false;
    return NULL;
}

static const char *take_mangled(struct place *at, bool is_mangled)
{
    if (!at->has_verb || at->is_file)
        return "is not behind EXCLUDE or INCLUDE of region names";
    at->is_mangled = is_mangled;
    return NULL;
}

static const struct {
    const char *word;
    const char *(*take)(struct place *at, bool flag);
    bool flag;
} keywords[] = {
    {"SCOREP_REGION_NAMES_BEGIN", begin_block, false},
    {"SCOREP_REGION_NAMES_END", end_block, false},
    {"SCOREP_FILE_NAMES_BEGIN", begin_block, true},
    {"SCOREP_FILE_NAMES_END", end_block, true},
    {"EXCLUDE", take_verb, true},
    {"INCLUDE", take_verb, false},
    {"MANGLED", take_mangled, true},
    {"DEMANGLED", take_mangled, false},
};

static const char *add_rule(struct spur_filter *f, const struct place *at, const char *pattern)
{
    if (!at->has_verb)
        return at->is_in_block ? "is a pattern without EXCLUDE or INCLUDE"
                               : "is outside of a block";
    f->rules[f->n++] = (struct rule){pattern, at->is_exclude, at->is_mangled, at->is_file};
    return NULL;
}

static const char *take_word(struct spur_filter *f, struct place *at, const char *word)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++)
        if (strcmp(word, keywords[i].word) == 0)
            return keywords[i].take(at, keywords[i].flag);
    return add_rule(f, at, word);
}

/* The end of the word at `p`: a blank, a comment or the end of the line. */
static char *end_of_word(char *p)
{
    for (; *p && !strchr(" \t\r\n#", *p); p++)
        if (p[0] == '\\' && p[1] && p[1] != '\n')
            p++;
    return p;
}

/* Cuts the line into words; *next is the next line. */
static const char *take_line(struct spur_filter *f, struct place *at, char *p, char **next)
{
    const char *why = NULL;
    char *end = strchr(p, '\n');
    *next = end ? end + 1 : p + strlen(p);
    if (end)
        *end = '\0';
    while (!why) {
        p += strspn(p, " \t\r");
        if (!*p || *p == '#')
            break;
        char *word = p;
        p = end_of_word(p);
        if (p > word && p[-1] == '\\' && !*p)
            return "ends with a backslash, which cannot continue a line";
        bool is_last = !*p || *p == '#';
        *p = '\0';
        why = take_word(f, at, word);
        if (is_last)
            break;
        p++;
    }
    return why;
}

/*
 * Room for the most words possible: half the characters, since each word but the last has a blank
 * behind it.
 */
static struct spur_filter *filter_new(const char *text)
{
    size_t length = strlen(text);
    size_t bytes = sizeof(struct spur_filter) + length + 1;
    struct spur_filter *f = spur_mem_new(bytes);
    if (!f)
        return NULL;
    memcpy(f->text, text, length + 1);
    f->bytes = bytes;
    f->room = length / 2 + 1;
    f->rules = spur_mem_new(f->room * sizeof *f->rules);
    if (f->rules)
        return f;
    spur_mem_free(f, bytes);
    return NULL;
}

struct spur_filter *spur_filter_parse(const char *text, uint32_t *line, const char **why)
{
    struct spur_filter *f = filter_new(text);
    struct place at = {0};
    *line = 0;
    *why = f ? NULL : "needs more memory than there is";
    for (char *p = f ? f->text : NULL, *next; p && *p && !*why; p = next) {
        ++*line;
        *why = take_line(f, &at, p, &next);
    }
    if (!*why || !f)
        return f;
    spur_mem_free(f->rules, f->room * sizeof *f->rules);
    spur_mem_free(f, f->bytes);
    return NULL;
}

/* ---- asking ---- */

static bool says_nothing(const char *pattern)
{
    return strspn(pattern, "*?") == strlen(pattern);
}

/* An ending that no pattern spells, for names whose ending is still unknown. */
#define UNKNOWN_PLACE " @\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2\3\4\5\6\7\1\2\3\4\5\6\7"

static bool applies(const struct rule *rule, const struct spur_filter_subject *subject,
                    const char *name, const char *file)
{
    if (rule->is_file)
        return file && spur_pattern_matches(rule->pattern, file);
    if (subject->is_wrapped && says_nothing(rule->pattern))
        return false;
    bool is_mangled = rule->is_mangled && subject->mangled;
    return spur_pattern_matches(rule->pattern, is_mangled ? subject->mangled : name);
}

bool spur_filter_excludes(const struct spur_filter *filter,
                          const struct spur_filter_subject *subject)
{
    char placed[256];
    const char *name = subject->name;
    const char *file = subject->is_wrapped ? NULL : subject->file;
    bool is_excluded[2] = {false, false}; /* by the name, by the file */
    if (subject->is_open_ended) {
        snprintf(placed, sizeof placed, "%s" UNKNOWN_PLACE, name);
        name = placed;
    }
    for (size_t i = 0; i < filter->n; i++)
        if (applies(&filter->rules[i], subject, name, file))
            is_excluded[filter->rules[i].is_file] = filter->rules[i].is_exclude;
    return is_excluded[0] || is_excluded[1];
}
