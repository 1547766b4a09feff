/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/journal.h"

#include <string.h>

#include "base/mem.h"

enum { HEADER_BYTES = sizeof(struct spur_record_header), MEMBERS_LIMIT = 1 << 26 };

_Static_assert(sizeof(struct spur_record_header) == 8, "records are made of words");

#define KIND_(Row, kind, name) SPUR_CELL_##kind,

/* The space of updates, which have none: UPDATE rows name it "_". */
enum { SPUR_SPACE__ = SPUR_SPACES };

const struct spur_definition spur_definitions[SPUR_DEFINITIONS_MAX] = {
#define DEFINITION(Name, number, space_, identity_, ...)                                           \
    [number] = {.name = #Name,                                                                     \
                .space = SPUR_SPACE_##space_,                                                      \
                .identity = SPUR_IDENTITY_##identity_,                                             \
                .cells = SPUR_AT_##Name##_END,                                                     \
                .cell = {OTF2_SEQ(KIND_, Name, __VA_ARGS__)}},
#define UPDATE(Name, number, ...) DEFINITION(Name, number, _, UPDATE, __VA_ARGS__)
#include "session/definitions.def"
};

static size_t text_words(uint64_t bytes)
{
    return (size_t)(bytes / sizeof(uint64_t) + 1); /* room for at least one zero */
}

/* Runs of consecutive numbers; equal lists give equal runs. */
static size_t pack_members(const struct spur_cell *cell, uint64_t *to)
{
    const uint64_t *member = cell->at;
    uint64_t runs = 0;
    for (uint64_t i = 0; i < cell->number; i++) {
        bool goes_on = i > 0 && member[i] == member[i - 1] + 1;
        if (to && !goes_on) {
            to[2 + 2 * runs] = member[i];
            to[3 + 2 * runs] = 0;
        }
        runs += !goes_on;
        if (to)
            to[1 + 2 * runs]++;
    }
    if (to) {
        to[0] = cell->number;
        to[1] = runs;
    }
    return (size_t)(2 + 2 * runs);
}

static size_t pack_cell(uint8_t kind, const struct spur_cell *cell, uint64_t *to)
{
    if (kind == SPUR_CELL_MEMBERS)
        return pack_members(cell, to);
    if (to)
        to[0] = cell->number;
    if (spur_is_list(kind)) {
        if (to && cell->number)
            memcpy(to + 1, cell->at, (size_t)cell->number * sizeof *to);
        return 1 + (size_t)cell->number;
    }
    if (kind != SPUR_CELL_TEXT)
        return 1;
    size_t words = text_words(cell->number);
    if (to) {
        to[words] = 0;
        memcpy(to + 1, cell->at, (size_t)cell->number);
    }
    return 1 + words;
}

size_t spur_record_pack(uint32_t kind, const struct spur_cell *cells, uint64_t *to)
{
    const struct spur_definition *row = &spur_definitions[kind];
    size_t words = 0;
    for (int i = 0; i < row->cells; i++)
        words += pack_cell(row->cell[i], &cells[i], to ? to + words : NULL);
    return words;
}

static bool unpack_members(const uint64_t *word, size_t left, size_t *used, struct spur_cell *cell)
{
    if (left < 2 || word[1] > (left - 2) / 2 || word[0] > MEMBERS_LIMIT)
        return false;
    uint64_t members = 0;
    for (uint64_t run = 0; run < word[1]; run++) {
        uint64_t count = word[3 + 2 * run];
        if (count == 0 || count > word[0] - members)
            return false;
        members += count;
    }
    cell->at = word + 1;
    *used = (size_t)(2 + 2 * word[1]);
    return members == word[0];
}

static bool unpack_text(const uint64_t *word, size_t left, size_t *used, struct spur_cell *cell)
{
    if (word[0] / sizeof(uint64_t) >= left - 1)
        return false;
    size_t words = text_words(word[0]);
    const char *text = (const char *)(word + 1);
    cell->at = text;
    *used = 1 + words;
    return strnlen(text, words * sizeof(uint64_t)) == word[0];
}

static bool is_reference(uint64_t word, uint8_t space, const struct spur_counts *counts)
{
    return word == (uint32_t)SPUR_UNDEFINED ||
           (counts ? word < counts->of[space] : word < UINT32_MAX);
}

static bool unpack_list(uint8_t kind, const uint64_t *word, size_t left,
                        const struct spur_counts *counts, size_t *used, struct spur_cell *cell)
{
    enum spur_space space = spur_list_space(kind);
    if (word[0] > SPUR_NUMBERS_MAX || word[0] >= left)
        return false;
    cell->at = word + 1;
    *used = 1 + (size_t)word[0];
    for (size_t i = 1; i < *used; i++)
        if (word[i] > UINT32_MAX ||
            (space != SPUR_SPACES && !is_reference(word[i], (uint8_t)space, counts)))
            return false;
    return true;
}

static bool unpack_cell(uint8_t kind, const uint64_t *word, size_t left,
                        const struct spur_counts *counts, size_t *used, struct spur_cell *cell)
{
    if (left == 0)
        return false;
    cell->number = word[0];
    cell->at = word;
    *used = 1;
    switch (kind) {
    case SPUR_CELL_U8:
        return word[0] <= UINT8_MAX;
    case SPUR_CELL_U32:
        return word[0] <= UINT32_MAX;
    case SPUR_CELL_U64:
    case SPUR_CELL_I64:
        return true;
    case SPUR_CELL_TEXT:
        return unpack_text(word, left, used, cell);
    case SPUR_CELL_MEMBERS:
        return unpack_members(word, left, used, cell);
    case SPUR_CELL_NUMBERS:
    case SPUR_CELL_DIMENSIONS:
    case SPUR_CELL_METRICS:
        return unpack_list(kind, word, left, counts, used, cell);
    default:
        return is_reference(word[0], kind, counts);
    }
}

bool spur_record_unpack(const struct spur_record *record, const struct spur_counts *counts,
                        struct spur_cell *cells)
{
    if (record->kind >= SPUR_DEFINITIONS_MAX || !spur_definitions[record->kind].name)
        return false;
    const struct spur_definition *row = &spur_definitions[record->kind];
    size_t at = 0;
    for (int i = 0; i < row->cells; i++) {
        size_t used;
        if (!unpack_cell(row->cell[i], record->word + at, record->words - at, counts, &used,
                         &cells[i]))
            return false;
        at += used;
    }
    return at == record->words;
}

bool spur_journal_next(const void *bytes, uint64_t size, uint64_t *at, struct spur_record *record)
{
    if (size < HEADER_BYTES || *at > size - HEADER_BYTES)
        return false;
    const struct spur_record_header *header =
        (const struct spur_record_header *)(const void *)((const char *)bytes + *at);
    uint32_t kind = atomic_load_explicit(&header->kind, memory_order_acquire);
    if (kind == SPUR_DEFINITION_END || header->bytes % sizeof(uint64_t) != 0 ||
        header->bytes > size - HEADER_BYTES - *at)
        return false;
    record->kind = kind;
    record->words = header->bytes / (uint32_t)sizeof(uint64_t);
    record->word = (const uint64_t *)(const void *)(header + 1);
    *at += HEADER_BYTES + header->bytes;
    return true;
}

uint64_t spur_journal_length(const void *bytes, uint64_t size)
{
    struct spur_record record;
    uint64_t at = 0;
    while (spur_journal_next(bytes, size, &at, &record))
        continue;
    return at;
}

uint64_t spur_members_expand(const struct spur_cell *cell, uint64_t base, uint64_t *members,
                             uint64_t room)
{
    const uint64_t *word = cell->at;
    uint64_t n = 0;
    for (uint64_t run = 0; run < word[0]; run++)
        for (uint64_t i = 0; i < word[2 + 2 * run] && n < room; i++)
            members[n++] = base + word[1 + 2 * run] + i;
    return n;
}

uint64_t *spur_words_add(struct spur_words *words, size_t n)
{
    enum { FIRST_ROOM = 512 };
    if (words->failed)
        return NULL;
    if (n > words->room - words->n) {
        size_t room = words->room ? 2 * words->room : FIRST_ROOM;
        while (room - words->n < n)
            room *= 2;
        uint64_t *at = spur_mem_new(room * sizeof *at);
        if (!at) {
            words->failed = true;
            return NULL;
        }
        if (words->n)
            memcpy(at, words->at, words->n * sizeof *at);
        spur_mem_free(words->at, words->room * sizeof *at);
        words->at = at;
        words->room = room;
    }
    words->n += n;
    return words->at + words->n - n;
}

void spur_words_free(struct spur_words *words)
{
    spur_mem_free(words->at, words->room * sizeof *words->at);
    *words = (struct spur_words){0};
}

bool spur_words_define(struct spur_words *words, uint32_t kind, const struct spur_cell *cells)
{
    const size_t n = spur_record_pack(kind, cells, NULL);
    uint64_t *at = spur_words_add(words, 1 + n);
    if (!at)
        return false;
    struct spur_record_header *header = (struct spur_record_header *)(void *)at;
    header->kind = kind;
    header->bytes = (uint32_t)(n * sizeof *at);
    spur_record_pack(kind, cells, at + 1);
    return true;
}

uint64_t spur_hash(uint64_t seed, const uint64_t *words, size_t n)
{
    uint64_t hash = seed * 0x9e3779b97f4a7c15u + n;
    for (size_t i = 0; i < n; i++) {
        hash = (hash ^ words[i]) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}
