/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/families.h"

#include <string.h>

#include "base/word_list.h"

static const struct {
    const char *name;
    const char *file;
    bool is_default;
} rows[SPUR_FAMILIES] = {
#define FAMILY(NAME, name, PARADIGM, file, is_default, ...) {name, file, is_default},
#include "settings/families.def"
#undef FAMILY
};

const char *spur_family_file(enum spur_family family)
{
    return rows[family].file;
}

static bool is_word(const char *word, const char *text, size_t length)
{
    return strncmp(word, text, length) == 0 && !word[length];
}

const char *spur_family_name(enum spur_family family)
{
    return rows[family].name;
}

enum spur_family spur_family_find(const char *name, size_t length)
{
    unsigned family = 0;
    while (family < SPUR_FAMILIES && !is_word(rows[family].name, name, length))
        family++;
    return (enum spur_family)family;
}

static uint64_t named(const char *word, size_t length)
{
    uint64_t set = 0;
    enum spur_family family = spur_family_find(word, length);
    if (family != SPUR_FAMILIES)
        return (uint64_t)1 << family;
    for (unsigned i = 0; is_word("default", word, length) && i < SPUR_FAMILIES; i++)
        set |= (uint64_t)rows[i].is_default << i;
    return set;
}

/* The set, in *set, and whether each word has added to it. */
static bool read_list(const char *list, uint64_t *set)
{
    bool is_good = true;
    *set = 0;
    for (struct word_list words = {.rest = list}; word_list_next(&words);) {
        uint64_t more = named(words.word, words.length);
        is_good &= more != 0;
        *set |= more;
    }
    return is_good;
}

uint64_t spur_families_listed(const char *list)
{
    uint64_t set;
    (void)read_list(list, &set);
    return set;
}

bool spur_families_are_good(const char *list)
{
    uint64_t set;
    return read_list(list, &set);
}
