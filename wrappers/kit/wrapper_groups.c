/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper_groups.h"

#include <stdio.h>

#include "base/word_list.h"
#include "wrappers/kit/wrapper_complain.h"

/* Words behind those of the groups. */
static const char *const sets[] = {"default", "all", "none"};
enum { SET_DEFAULT, SET_ALL, SET_NONE, SETS };

static const char *word_at(const struct wrapper_groups *groups, uint32_t i)
{
    return i < groups->n ? groups->group[i].name : sets[i - groups->n];
}

static uint32_t defaults(const struct wrapper_groups *groups)
{
    uint32_t on = 0;
    for (uint32_t i = 0; i < groups->n; i++)
        on |= (uint32_t)groups->group[i].is_default << i;
    return on;
}

/* What the word switches on. */
static uint32_t chosen_by(const struct wrapper_groups *groups, uint32_t word)
{
    if (word < groups->n)
        return 1u << word;
    if (word == groups->n + SET_NONE)
        return 0;
    return word == groups->n + SET_ALL ? (1u << groups->n) - 1 : defaults(groups);
}

static void complain(const struct wrapper_groups *groups, const char *word, size_t length)
{
    enum { ALL = 400, SHOWN = 64 };
    char all[ALL] = "";
    int n = 0;
    for (uint32_t i = 0; i < groups->n + SETS && n < ALL; i++)
        n += snprintf(all + n, ALL - (size_t)n, "%s %s", i ? "," : "", word_at(groups, i));
    wrapper_complain("%s: there is no group of %s calls \"%.*s\", only%s", groups->setting,
                     groups->of, length < SHOWN ? (int)length : SHOWN, word, all);
}

static uint32_t find_word(const struct wrapper_groups *groups, const struct word_list *list)
{
    uint32_t i = 0;
    while (i < groups->n + SETS && !word_list_is(list, word_at(groups, i)))
        i++;
    return i;
}

bool wrapper_groups_select(const struct wrapper_groups *groups, const char *text)
{
    uint32_t on = 0;
    bool has_known = false;
    for (struct word_list list = {.rest = text}; word_list_next(&list);) {
        bool is_taken_away = word_list_unsign(&list);
        uint32_t i = find_word(groups, &list);
        if (is_taken_away && !has_known)
            on = defaults(groups);
        if (i < groups->n + SETS)
            on = is_taken_away ? on & ~chosen_by(groups, i) : on | chosen_by(groups, i);
        else
            complain(groups, list.word, list.length);
        has_known |= i < groups->n + SETS;
    }
    for (uint32_t i = 0; has_known && i < groups->n; i++)
        groups->is_off[i] = !(on >> i & 1);
    return !has_known || on != 0;
}

bool wrapper_matches(const char *pattern, const char *text)
{
    const char *star = NULL, *from = text;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            from = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++from;
        } else {
            return false;
        }
    }
    pattern += strspn(pattern, "*");
    return !*pattern;
}
