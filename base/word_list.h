/* SPDX-License-Identifier: BSD-3-Clause */
/* The words of a comma list, as settings have them. No memory is asked for. */
#ifndef WORD_LIST_H
#define WORD_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct word_list {
    const char *word; /* not ended by a zero: it has `length` bytes */
    size_t length;
    const char *rest; /* at first the list, which may be NULL */
};

/* The next word, which may be empty. False: there is none. */
static inline bool word_list_next(struct word_list *list)
{
    if (!list->rest || !*list->rest)
        return false;
    list->word = list->rest;
    list->length = strcspn(list->word, ",");
    list->rest = list->word + list->length;
    list->rest += *list->rest == ',';
    return true;
}

/* Takes a minus from the beginning of the word. False: there is none. */
static inline bool word_list_unsign(struct word_list *list)
{
    bool has_sign = list->length && *list->word == '-';
    list->word += has_sign;
    list->length -= has_sign;
    return has_sign;
}

static inline bool word_list_is(const struct word_list *list, const char *wanted)
{
    return strlen(wanted) == list->length && memcmp(list->word, wanted, list->length) == 0;
}

#endif
