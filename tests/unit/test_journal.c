/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
#include <criterion/criterion.h>

#include "tests/unit/journal_build.h"

static const uint64_t members[] = {3, 4, 5, 9, 8, 7, 7, 1000000, 1000001};
enum { MEMBERS = sizeof members / sizeof members[0], NUMBERS = 4 };

/* A value for every kind of cell, so that a new row is tested as soon as it exists. */
static void fill(const struct spur_definition *row, struct spur_cell *cells)
{
    for (int i = 0; i < row->cells; i++)
        switch (row->cell[i]) {
        case SPUR_CELL_TEXT:
            cells[i] = (struct spur_cell){7, "seven77"};
            break;
        case SPUR_CELL_MEMBERS:
            cells[i] = (struct spur_cell){MEMBERS, members};
            break;
        case SPUR_CELL_NUMBERS:
        case SPUR_CELL_DIMENSIONS:
        case SPUR_CELL_METRICS:
            cells[i] = (struct spur_cell){NUMBERS, members};
            break;
        default:
            cells[i] = (struct spur_cell){(uint64_t)i + 1, NULL};
        }
}

static void same(const struct spur_definition *row, const struct spur_cell *in,
                 const struct spur_cell *out)
{
    uint64_t list[MEMBERS + 1];
    for (int i = 0; i < row->cells; i++) {
        cr_assert(in[i].number == out[i].number, "%s, cell %d", row->name, i);
        if (row->cell[i] == SPUR_CELL_TEXT)
            cr_assert(strcmp(in[i].at, out[i].at) == 0);
        if (spur_is_list(row->cell[i]))
            cr_assert(memcmp(out[i].at, members, NUMBERS * sizeof *members) == 0);
        if (row->cell[i] == SPUR_CELL_MEMBERS) {
            cr_assert(spur_members_expand(&out[i], 0, list, MEMBERS + 1) == MEMBERS);
            cr_assert(memcmp(list, members, sizeof members) == 0);
            cr_assert(spur_members_expand(&out[i], 5, list, 2) == 2 && list[1] == 9);
        }
    }
}

static void all_rows(struct spur_words *journal)
{
    struct spur_cell cells[SPUR_CELLS_MAX];
    for (uint32_t kind = 0; kind < SPUR_DEFINITIONS_MAX; kind++)
        if (spur_definitions[kind].name) {
            fill(&spur_definitions[kind], cells);
            spur_words_define(journal, kind, cells);
        }
}

Test(journal, every_row_is_read_as_written)
{
    struct spur_words journal = {0};
    struct spur_cell in[SPUR_CELLS_MAX], out[SPUR_CELLS_MAX];
    struct spur_record record;
    uint64_t at = 0;
    int rows = 0;
    all_rows(&journal);
    while (spur_journal_next(journal.at, journal_bytes(&journal), &at, &record)) {
        cr_assert(spur_record_unpack(&record, NULL, out), "kind %u", record.kind);
        fill(&spur_definitions[record.kind], in);
        same(&spur_definitions[record.kind], in, out);
        rows++;
    }
    cr_assert(at == journal_bytes(&journal) && rows >= 10);
    cr_assert(spur_journal_length(journal.at, journal.room * 8) == at, "kind 0 is the end");
    spur_words_free(&journal);
}

/* Every length and every flipped byte: no crash (the sanitizers watch), nothing out of bounds. */
Test(journal, broken_bytes_are_harmless)
{
    struct spur_words journal = {0};
    struct spur_cell cells[SPUR_CELLS_MAX];
    struct spur_record record;
    const struct spur_counts counts = {{1, 1, 1, 1, 1, 1}};
    static uint64_t copy[4096];
    uint64_t list[16];
    all_rows(&journal);
    uint64_t bytes = journal_bytes(&journal);
    cr_assert(bytes <= sizeof copy);
    for (uint64_t i = 0; i < 2 * bytes; i++) {
        uint64_t at = 0;
        uint64_t size = i < bytes ? i : bytes;
        memcpy(copy, journal.at, bytes);
        if (i >= bytes)
            ((unsigned char *)copy)[i - bytes] ^= (unsigned char)(1u << i % 8);
        while (spur_journal_next(copy, size, &at, &record)) {
            cr_assert(at <= size);
            if (spur_record_unpack(&record, i % 2 ? &counts : NULL, cells) &&
                record.kind == SPUR_DEFINITION_Group)
                (void)spur_members_expand(&cells[SPUR_AT_Group_members], 0, list, 16);
        }
    }
    spur_words_free(&journal);
}

Test(journal, references_point_at_what_is_defined)
{
    struct spur_words journal = {0};
    struct spur_cell cells[SPUR_CELLS_MAX];
    struct spur_record record;
    struct spur_counts counts = {{0}};
    uint64_t at = 0;
    BUILD(&journal, Parameter, {4}, {0});
    cr_assert(spur_journal_next(journal.at, journal_bytes(&journal), &at, &record));
    counts.of[SPUR_SPACE_STRING] = 4;
    cr_assert_not(spur_record_unpack(&record, &counts, cells));
    counts.of[SPUR_SPACE_STRING] = 5;
    cr_assert(spur_record_unpack(&record, &counts, cells));
    journal.at[1] = UINT32_MAX;
    cr_assert(spur_record_unpack(&record, &counts, cells), "undefined is allowed");
    spur_words_free(&journal);
}
