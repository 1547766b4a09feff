/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of groups of calls: the words are those of the tables that the families of wrappers have.
 */
#include "tools/launch/launch.h"

#include <stdlib.h>
#include <string.h>

#include "base/word_list.h"
#include "settings/selection.h"
#include "tools/base/fail.h"

#define SETS "default", "all", "none", NULL
#define GROUP(name, ...) #name,
static const char *const mpi[] = {
#include "wrappers/mpi/tables/mpi_groups.def"
    SETS};
static const char *const cuda[] = {
#include "wrappers/cuda/cuda_groups.def"
    SETS};
static const char *const hip[] = {
#include "wrappers/hip/hip_groups.def"
    SETS};
static const char *const levelzero[] = {
#include "wrappers/levelzero/levelzero_groups.def"
    SETS};
#undef GROUP
static const char *const io[] = {
#define IO_CHOICE(NAME, word, ...) word,
#include "wrappers/io/io_groups.def"
#undef IO_CHOICE
    "all", "none", NULL};

static const struct {
    const char *variable;
    const char *const *words;
} lists[] = {{"SPUR_MPI", mpi},
             {"SPUR_CUDA", cuda},
             {"SPUR_HIP", hip},
             {"SPUR_LEVELZERO", levelzero},
             {"SPUR_IO", io}};

static bool is_known(const struct word_list *word, const char *const *words)
{
    while (*words && !word_list_is(word, *words))
        words++;
    return *words != NULL;
}

static const char *wrong(const struct word_list *word, const char *const *words)
{
    char *all = make_text("%s", words[0]);

    for (size_t i = 1; words[i]; i++) {
        char *longer = make_text("%s%s%s", all, words[i + 1] ? ", " : " and ", words[i]);

        free(all);
        all = longer;
    }
    return make_text("names no group of calls by \"%.*s\"; there are %s", (int)word->length,
                     word->word, all);
}

static const char *judge_list(const char *variable, const char *value)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct word_list list = {.rest = value};

        if (strcmp(variable, lists[i].variable) != 0)
            continue;
        while (word_list_next(&list)) {
            if (lists[i].words != io) /* a group can be taken from the others */
                word_list_unsign(&list);
            if (!is_known(&list, lists[i].words))
                return wrong(&list, lists[i].words);
        }
    }
    return NULL;
}

/* Also the lists that SPUR_RECORD stands for. */
const char *launch_judge_words(const char *variable, const char *value)
{
    struct spur_selection record;
    const char *why = judge_list(variable, value);

    if (strcmp(variable, "SPUR_RECORD") != 0 || spur_selection_read(value, &record))
        return why;
    for (int i = 0; i < SPUR_SELECTION_VARIABLES && !why; i++)
        why = judge_list(spur_selection_variables[i], record.text[i]);
    return why;
}
