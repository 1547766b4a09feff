/* SPDX-License-Identifier: BSD-3-Clause */
/* Journals made by hand: BUILD(&journal, Region, {1}, {2}, ...), one value per cell of the row. */
#ifndef TESTS_JOURNAL_BUILD_H
#define TESTS_JOURNAL_BUILD_H

#include <string.h>

#include "agent/journal.h"

/* Cells are given by their number alone. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static inline void build(struct spur_words *journal, uint32_t kind, const struct spur_cell *cells)
{
    size_t words = spur_record_pack(kind, cells, NULL);
    uint64_t *at = spur_words_add(journal, 1 + words);
    struct spur_record_header *header = (struct spur_record_header *)(void *)at;
    header->kind = kind;
    header->bytes = (uint32_t)(8 * words);
    spur_record_pack(kind, cells, at + 1);
}

#define BUILD(journal, Name, ...)                                                                  \
    build(journal, SPUR_DEFINITION_##Name, (const struct spur_cell[]){__VA_ARGS__})

static inline void build_string(struct spur_words *journal, const char *text)
{
    BUILD(journal, String, {strlen(text), text});
}

static inline uint64_t journal_bytes(const struct spur_words *journal)
{
    return journal->n * sizeof(uint64_t);
}

#endif
