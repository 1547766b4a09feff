/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/unify/unify_store.h"

#include <string.h>

#include "base/mem.h"

enum { FIRST_ENTRIES = 1 << 8, HEADER_WORDS = 1, KEY_WORDS = SPUR_CELLS_MAX + 1 };

enum { NUMBERED_WORDS = sizeof(struct unify_numbered) / sizeof(uint64_t) };

bool unify_is_numbered(uint32_t kind)
{
    return spur_definitions[kind].identity == SPUR_IDENTITY_ORDINAL;
}

struct unify_numbered *unify_numbered(const struct spur_unify *unify, uint32_t space, uint32_t id)
{
    return (struct unify_numbered *)(void *)(unify->numbered[space].at +
                                             (size_t)id * NUMBERED_WORDS);
}

void unify_record(const struct spur_unify *unify, uint32_t space, uint32_t id,
                  struct spur_record *record)
{
    const uint64_t *at = unify->journal.at + unify->at[space].at[id];
    const struct spur_record_header *header = (const struct spur_record_header *)(const void *)at;
    record->kind = header->kind;
    record->words = header->bytes / (uint32_t)sizeof(uint64_t);
    record->word = at + HEADER_WORDS;
}

/*
 * The words that make a definition the same as another: all of
 * them, or the ordinal and all but names and flags.
 */
static size_t key_of(uint32_t kind, const uint64_t *word, size_t words, uint64_t ordinal,
                     uint64_t *room, const uint64_t **key)
{
    const struct spur_definition *row = &spur_definitions[kind];
    *key = word;
    if (row->identity != SPUR_IDENTITY_ORDINAL)
        return words;
    size_t n = 0;
    for (int i = 0; i < row->cells; i++) /* such rows have only cells of one word */
        if (row->cell[i] != SPUR_CELL_STRING && row->cell[i] != SPUR_CELL_U32)
            room[n++] = word[i];
    room[n++] = ordinal;
    *key = room;
    return n;
}

static bool is_same(const struct spur_unify *unify, uint32_t space, uint32_t id,
                    const struct unify_wanted *wanted)
{
    uint64_t room_a[KEY_WORDS], room_b[KEY_WORDS];
    const uint64_t *a, *b;
    struct spur_record record;
    unify_record(unify, space, id, &record);
    if (record.kind != wanted->kind)
        return false;
    uint64_t ordinal =
        unify_is_numbered(record.kind) ? unify_numbered(unify, space, id)->ordinal : 0;
    size_t n = key_of(record.kind, record.word, record.words, ordinal, room_a, &a);
    return n == key_of(wanted->kind, wanted->word, wanted->words, wanted->ordinal, room_b, &b) &&
           memcmp(a, b, n * sizeof *a) == 0;
}

static uint32_t find(const struct spur_unify *unify, struct unify_wanted *wanted)
{
    uint64_t room[KEY_WORDS];
    const uint64_t *key;
    uint32_t space = spur_definitions[wanted->kind].space;
    size_t n = key_of(wanted->kind, wanted->word, wanted->words, wanted->ordinal, room, &key);
    wanted->hash = (uint32_t)spur_hash(wanted->kind, key, n);
    if (!unify->entries)
        return OTF2_UNDEFINED_UINT32;
    uint32_t mask = unify->entries - 1;
    for (uint32_t i = wanted->hash & mask; unify->table[i].id_plus_1; i = (i + 1) & mask) {
        const struct unify_entry *entry = &unify->table[i];
        if (entry->hash == wanted->hash && entry->space == space &&
            is_same(unify, space, entry->id_plus_1 - 1, wanted))
            return entry->id_plus_1 - 1;
    }
    return OTF2_UNDEFINED_UINT32;
}

static void table_put(struct unify_entry *table, uint32_t entries, struct unify_entry new)
{
    uint32_t i = new.hash &(entries - 1);
    while (table[i].id_plus_1)
        i = (i + 1) & (entries - 1);
    table[i] = new;
}

static bool grow_table(struct spur_unify *unify)
{
    if (unify->taken < unify->entries / 2)
        return true;
    uint32_t entries = unify->entries ? 2 * unify->entries : FIRST_ENTRIES;
    struct unify_entry *table = spur_mem_new(entries * sizeof *table);
    if (!table)
        return false;
    for (uint32_t i = 0; i < unify->entries; i++)
        if (unify->table[i].id_plus_1)
            table_put(table, entries, unify->table[i]);
    spur_mem_free(unify->table, unify->entries * sizeof *table);
    unify->table = table;
    unify->entries = entries;
    return true;
}

bool unify_append(struct spur_words *journal, uint32_t kind, const uint64_t *word, size_t words)
{
    uint64_t *at = spur_words_add(journal, HEADER_WORDS + words);
    if (!at)
        return false;
    struct spur_record_header *header = (struct spur_record_header *)(void *)at;
    header->kind = kind;
    header->bytes = (uint32_t)(words * sizeof *word);
    memcpy(at + HEADER_WORDS, word, words * sizeof *word);
    return true;
}

static uint32_t add(struct spur_unify *unify, const struct unify_wanted *wanted)
{
    uint32_t space = spur_definitions[wanted->kind].space;
    uint64_t at = unify->journal.n;
    if (!grow_table(unify) ||
        !unify_append(&unify->journal, wanted->kind, wanted->word, wanted->words))
        return OTF2_UNDEFINED_UINT32;
    uint64_t *place = spur_words_add(&unify->at[space], 1);
    if (!place)
        return OTF2_UNDEFINED_UINT32;
    *place = at;
    uint32_t id = (uint32_t)unify->at[space].n - 1;
    if (unify_is_numbered(wanted->kind)) {
        struct unify_numbered *numbered =
            (struct unify_numbered *)(void *)spur_words_add(&unify->numbered[space],
                                                            NUMBERED_WORDS);
        if (!numbered)
            return OTF2_UNDEFINED_UINT32;
        numbered->ordinal = wanted->ordinal;
        numbered->name = OTF2_UNDEFINED_STRING;
    }
    table_put(unify->table, unify->entries, (struct unify_entry){wanted->hash, id + 1, space});
    unify->taken++;
    return id;
}

uint32_t unify_intern(struct spur_unify *unify, struct unify_wanted *wanted)
{
    uint32_t id = find(unify, wanted);
    return id != OTF2_UNDEFINED_UINT32 ? id : add(unify, wanted);
}
