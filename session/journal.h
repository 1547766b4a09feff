/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The journal's form: a sequence of records, each a header of 8 bytes and a payload of 8-byte words
 * in the order of the row's cells. A cell is one word; TEXT is the number of bytes and the
 * zero-padded bytes; MEMBERS is the number of members, the number of runs, and the runs (first,
 * count), each as long as it can be, so that equal lists have equal words; NUMBERS, DIMENSIONS
 * and METRICS are the number of words and the words.
 *
 * The writer stores a header's `bytes` first, then the payload, and `kind` last, with release:
 * whatever a reader finds is complete. The first header with kind 0 is the end; if it has bytes, a
 * record was being written there. Zeros follow. Pure functions over memory; readers believe
 * nothing.
 */
#ifndef SPUR_JOURNAL_H
#define SPUR_JOURNAL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <otf2/otf2_foreach.h>

enum spur_space {
#define SPACE(NAME, mapping) SPUR_SPACE_##NAME,
#include "session/definitions.def"
    SPUR_SPACES
};

/* What a cell is: a reference into the space of the same number, or one of these. */
enum spur_cell_kind {
#define SPACE(NAME, mapping) SPUR_CELL_##NAME,
#include "session/definitions.def"
    SPUR_CELL_U8,
    SPUR_CELL_U32,
    SPUR_CELL_U64,
    SPUR_CELL_I64,
    SPUR_CELL_TEXT,
    SPUR_CELL_MEMBERS,
    SPUR_CELL_NUMBERS,
    SPUR_CELL_DIMENSIONS,
    SPUR_CELL_METRICS,
};

/* The flags of a handle that are OTF2's; the other bits of the cell say how it was open. */
enum {
    SPUR_IO_HANDLE_FLAGS = 0xf,
    SPUR_IO_HANDLE_STATUS = 4, /* the first of two bits: APPEND, NON_BLOCKING */
    SPUR_IO_HANDLE_MODE = 6,   /* the first of two bits */
    SPUR_IO_HANDLE_STATE = 3,  /* either, from its first bit on */
};

enum spur_identity { SPUR_IDENTITY_CONTENT, SPUR_IDENTITY_ORDINAL, SPUR_IDENTITY_UPDATE };

/*
 * A space of a process has no more ids, so that any mapping table of them, which takes up to five
 * bytes for each, is a record that fits into the largest chunk of OTF2.
 */
enum { SPUR_IDS_MAX = 3 << 20 };

enum {
    SPUR_CELLS_MAX = 16,
    SPUR_NUMBERS_MAX = 255, /* of a list of these kinds */
    SPUR_UNDEFINED = -1,    /* of a reference, as a 32-bit number */
};

/* The record's numbers: SPUR_DEFINITION_String, ... */
enum spur_definition_number {
    SPUR_DEFINITION_END,
#define DEFINITION(Name, number, ...) SPUR_DEFINITION_##Name = number,
#define UPDATE(Name, number, ...) SPUR_DEFINITION_##Name = number,
#include "session/definitions.def"
    SPUR_DEFINITIONS_MAX
};

/* The place of a cell in its row: SPUR_AT_Region_name, ... */
#define SPUR_AT_(Row, kind, name) SPUR_AT_##Row##_##name,
#define DEFINITION(Name, number, space, identity, ...)                                             \
    enum { OTF2_SEQ(SPUR_AT_, Name, __VA_ARGS__) SPUR_AT_##Name##_END };
#define UPDATE(Name, number, ...) DEFINITION(Name, number, _, _, __VA_ARGS__)
#include "session/definitions.def"

/* The space that the numbers of a list refer to; SPUR_SPACES: they are numbers, or it is no list.
 */
static inline enum spur_space spur_list_space(uint8_t kind)
{
    return kind == SPUR_CELL_DIMENSIONS ? SPUR_SPACE_CART_DIMENSION
           : kind == SPUR_CELL_METRICS  ? SPUR_SPACE_METRIC_MEMBER
                                        : SPUR_SPACES;
}

static inline bool spur_is_list(uint8_t kind)
{
    return kind == SPUR_CELL_NUMBERS || spur_list_space(kind) != SPUR_SPACES;
}

struct spur_definition {
    const char *name; /* NULL: no such record */
    uint8_t space;    /* SPUR_SPACES for an update */
    uint8_t identity; /* enum spur_identity */
    uint8_t cells;
    uint8_t cell[SPUR_CELLS_MAX]; /* enum spur_cell_kind */
};

extern const struct spur_definition spur_definitions[SPUR_DEFINITIONS_MAX];

/*
 * A cell's value. When packed: `number` is the value, the text's bytes or the list's length; `at`
 * is the text or the list, of words. When unpacked: the same, but that `at` is in the record: the
 * word itself, the text, the list, or the runs with their number in front.
 */
struct spur_cell {
    uint64_t number;
    const void *at;
};

struct spur_record_header {
    _Atomic uint32_t kind;
    uint32_t bytes; /* of the payload, a multiple of 8 */
};

struct spur_record {
    uint32_t kind;
    uint32_t words;
    const uint64_t *word; /* borrowed from the journal */
};

/* How many of each space are defined: what references may point at. */
struct spur_counts {
    uint32_t of[SPUR_SPACES];
};

/* The payload's words for these cells; written to `to` if it is not NULL. */
size_t spur_record_pack(uint32_t kind, const struct spur_cell *cells, uint64_t *to);

/*
 * Check a record and find its cells. `counts` may be NULL; otherwise references must point below
 * them or be undefined. False: malformed.
 */
bool spur_record_unpack(const struct spur_record *record, const struct spur_counts *counts,
                        struct spur_cell *cells);

/*
 * The record at *at, and *at behind it. False at the end and at the first record whose frame is
 * broken. `bytes` is aligned to 8.
 */
bool spur_journal_next(const void *bytes, uint64_t size, uint64_t *at, struct spur_record *record);

/* The bytes of all records, without the end mark. */
uint64_t spur_journal_length(const void *bytes, uint64_t size);

/* Members of an unpacked MEMBERS cell, at most `room`; returns how many were written. */
uint64_t spur_members_expand(const struct spur_cell *cell, uint64_t base, uint64_t *members,
                             uint64_t room);

/* Words that grow: agent memory. `failed` stays once memory ran out; then nothing is added. */
struct spur_words {
    uint64_t *at;
    size_t n, room;
    bool failed;
};

/* Room for `n` more words, zeroed, counted as used; NULL: no memory. Moves the others. */
uint64_t *spur_words_add(struct spur_words *words, size_t n);
void spur_words_free(struct spur_words *words);

/* Add a whole record of a journal; false: no memory. */
bool spur_words_define(struct spur_words *words, uint32_t kind, const struct spur_cell *cells);

uint64_t spur_hash(uint64_t seed, const uint64_t *words, size_t n);

#endif
