/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals made by hand: BUILD(&journal, Region, {1}, {2}, ...), one value per cell of the row. */
#ifndef TESTS_JOURNAL_BUILD_H
#define TESTS_JOURNAL_BUILD_H

#include <string.h>

#include "session/journal.h"

/* Cells are given by their number alone. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define BUILD(journal, Name, ...)                                                                  \
    spur_words_define(journal, SPUR_DEFINITION_##Name, (const struct spur_cell[]){__VA_ARGS__})

static inline void build_string(struct spur_words *journal, const char *text)
{
    BUILD(journal, String, {strlen(text), text});
}

static inline uint64_t journal_bytes(const struct spur_words *journal)
{
    return journal->n * sizeof(uint64_t);
}

#endif
