/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/mpi/mpi_groups.h"

#include <stdio.h>
#include <string.h>

bool mpi_group_is_off[MPI_GROUPS] = {
#define GROUP(name, is_default, what) !(is_default),
#include "wrappers/mpi/tables/mpi_groups.def"
#undef GROUP
};

/* What a word of the list switches on. */
static const struct {
    const char *name;
    uint32_t groups;
} words[] = {
#define GROUP(name, is_default, what) {#name, 1u << MPI_GROUP_##name},
#include "wrappers/mpi/tables/mpi_groups.def"
#undef GROUP
#define GROUP(name, is_default, what) | (uint32_t)(is_default) << MPI_GROUP_##name
    {"default", 0
#include "wrappers/mpi/tables/mpi_groups.def"
    },
#undef GROUP
    {"all", (1u << MPI_GROUPS) - 1},
    {"none", 0},
};

enum { WORDS = sizeof words / sizeof words[0] };

static void complain(const char *word, size_t length)
{
    static char line[512]; /* the agent borrows it */
    int n = snprintf(line, sizeof line, "SPUR_MPI: there is no group of MPI calls \"%.*s\", only",
                     length < 64 ? (int)length : 64, word);
    for (size_t i = 0; i < WORDS && n > 0 && (size_t)n < sizeof line; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %s", i ? "," : "", words[i].name);
    spur_complain(line);
}

static size_t find_word(const char *word, size_t length)
{
    size_t i = 0;
    while (i < WORDS &&
           (strncmp(words[i].name, word, length) != 0 || words[i].name[length] != '\0'))
        i++;
    return i;
}

bool mpi_groups_select(const char *list)
{
    uint32_t on = 0;
    bool has_known = false;
    for (const char *word = list; word && *word;) {
        size_t length = strcspn(word, ",");
        size_t i = find_word(word, length);
        if (i < WORDS)
            on |= words[i].groups;
        else
            complain(word, length);
        has_known |= i < WORDS;
        word += length;
        word += *word == ',';
    }
    for (size_t i = 0; has_known && i < MPI_GROUPS; i++)
        mpi_group_is_off[i] = !(on >> i & 1);
    return !has_known || on != 0;
}
