/* SPDX-License-Identifier: BSD-3-Clause */
#include "finish/unify/unify.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "finish/unify/unify_ranks.h"
#include "finish/unify/unify_store.h"
#include "session/paradigms.h"

/* The spaces of the definitions named by each update. */
static const struct {
    uint32_t update;
    enum spur_space space;
} namings[] = {
    {SPUR_DEFINITION_CommName, SPUR_SPACE_COMM},
    {SPUR_DEFINITION_RmaWinName, SPUR_SPACE_RMA_WIN},
    {SPUR_DEFINITION_IoHandleName, SPUR_SPACE_IO_HANDLE},
};
enum { NAMINGS = sizeof namings / sizeof namings[0] };

struct spur_unify *spur_unify_new(void)
{
    return spur_mem_new(sizeof(struct spur_unify));
}

void spur_unify_free(struct spur_unify *unify)
{
    if (!unify)
        return;
    spur_words_free(&unify->journal);
    spur_words_free(&unify->scratch);
    for (int i = 0; i < SPUR_SPACES; i++) {
        spur_words_free(&unify->at[i]);
        spur_words_free(&unify->numbered[i]);
    }
    spur_mem_free(unify->table, unify->entries * sizeof *unify->table);
    spur_mem_free(unify, sizeof *unify);
}

/*
 * Numbers definitions with equal groups and parent, input by input. The first definition counts the
 * number of its equals: so the n-th definition of a process meets the n-th definition of the other
 * processes.
 */
static uint32_t intern_numbered(struct spur_unify *unify, struct unify_wanted *wanted)
{
    wanted->ordinal = 0;
    uint32_t first = unify_intern(unify, wanted);
    if (first == OTF2_UNDEFINED_UINT32)
        return first;
    uint32_t space = spur_definitions[wanted->kind].space;
    struct unify_numbered *numbered = unify_numbered(unify, space, first);
    if (numbered->epoch != unify->epoch) {
        numbered->epoch = unify->epoch;
        numbered->count = 0;
    }
    wanted->ordinal = numbered->count++;
    return wanted->ordinal == 0 ? first : unify_intern(unify, wanted);
}

uint32_t spur_unify_define(struct spur_unify *unify, uint32_t kind, const struct spur_cell *cells)
{
    struct spur_words packed = {0};
    size_t words = spur_record_pack(kind, cells, NULL);
    uint64_t *word = spur_words_add(&packed, words);
    uint32_t id = OTF2_UNDEFINED_UINT32;
    if (word) {
        spur_record_pack(kind, cells, word);
        id =
            unify_intern(unify, &(struct unify_wanted){.kind = kind, .word = word, .words = words});
    }
    spur_words_free(&packed);
    return id;
}

uint32_t spur_unify_string(struct spur_unify *unify, const char *text)
{
    return spur_unify_define(unify, SPUR_DEFINITION_String,
                             &(struct spur_cell){strlen(text), text});
}

/* ---- adding a process ---- */

struct adding {
    struct spur_unify *unify;
    const struct spur_unify_input *input;
    struct spur_map *map;
    struct spur_counts counts;
};

static const char *locations_name(uint64_t paradigm)
{
    switch (paradigm) {
#define PARADIGM(NAME, name, ...)                                                                  \
    case OTF2_PARADIGM_##NAME:                                                                     \
        return name " locations";
#include "session/paradigms.def"
#undef PARADIGM
    default:
        return "locations";
    }
}

static bool define_locations(struct spur_unify *unify, uint64_t paradigm)
{
    uint32_t name = spur_unify_string(unify, locations_name(paradigm));
    const struct spur_cell cells[] = {{name, NULL},
                                      {OTF2_GROUP_TYPE_COMM_LOCATIONS, NULL},
                                      {paradigm, NULL},
                                      {OTF2_GROUP_FLAG_NONE, NULL},
                                      {0, NULL}};
    return name != OTF2_UNDEFINED_UINT32 &&
           spur_unify_define(unify, SPUR_DEFINITION_Group, cells) != OTF2_UNDEFINED_UINT32;
}

static uint64_t smallest_member(const struct spur_unify *unify, uint64_t group)
{
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t smallest = UINT64_MAX;
    if (group >= unify->at[SPUR_SPACE_GROUP].n)
        return smallest;
    spur_unify_get(unify, SPUR_SPACE_GROUP, (uint32_t)group, &record, cells);
    const uint64_t *runs = cells[SPUR_AT_Group_members].at;
    for (uint64_t i = 0; i < runs[0]; i++)
        smallest = runs[1 + 2 * i] < smallest ? runs[1 + 2 * i] : smallest;
    return smallest;
}

/*
 * Both sides of an intercommunicator define the intercommunicator, and agree on the order of
 * groups.
 */
static void order_sides(struct adding *a)
{
    uint64_t *word = a->unify->scratch.at;
    uint64_t own = word[SPUR_AT_InterComm_groupA], other = word[SPUR_AT_InterComm_groupB];
    if (smallest_member(a->unify, other) < smallest_member(a->unify, own)) {
        word[SPUR_AT_InterComm_groupA] = other;
        word[SPUR_AT_InterComm_groupB] = own;
    }
}

/* Does a group with this content mean locations of the defining process? */
static bool is_of_process(uint64_t paradigm, uint64_t says)
{
    bool is_named = paradigm == OTF2_PARADIGM_PTHREAD || spur_paradigm_is_device(paradigm);
    return (is_named && says == 0) || (paradigm == OTF2_PARADIGM_OPENMP && says == 1);
}

/* The current group lies in the scratch, with the list of members at its end. */
static bool adapt_group(struct adding *a, const struct spur_cell *cells)
{
    struct spur_words *scratch = &a->unify->scratch;
    uint64_t type = cells[SPUR_AT_Group_groupType].number;
    uint64_t paradigm = cells[SPUR_AT_Group_paradigm].number;
    enum { MEMBERS = SPUR_AT_Group_members, RUNS, FIRST_RUN };
    if (type != OTF2_GROUP_TYPE_COMM_GROUP && type != OTF2_GROUP_TYPE_COMM_SELF)
        return true;
    if (!define_locations(a->unify, paradigm))
        return false;
    if (paradigm == OTF2_PARADIGM_MPI)
        scratch->n -= spur_unify_adapt_ranks(a->input, &scratch->at[RUNS]);
    /* The process's number goes before the content of the group. */
    uint64_t says = scratch->at[MEMBERS];
    if (type == OTF2_GROUP_TYPE_COMM_GROUP && is_of_process(paradigm, says)) {
        uint64_t *end = spur_words_add(scratch, 2);
        if (!end)
            return false;
        uint64_t *run = &scratch->at[FIRST_RUN];
        memmove(run + 2, run, 2 * says * sizeof *run);
        run[0] = a->input->process;
        run[1] = 1;
        scratch->at[MEMBERS] = scratch->at[RUNS] = says + 1;
    }
    return true;
}

/* Distinguishes the own instance of a process from equal definitions of other processes. */
static void adapt_instance(struct adding *a)
{
    uint64_t *word = a->unify->scratch.at;
    if (word[SPUR_AT_MetricInstance_scope] != OTF2_UNDEFINED_UINT64)
        return; /* distinguished before: the journal is of unified definitions */
    word[SPUR_AT_MetricInstance_recorder] =
        a->input->process << 32 | (uint32_t)word[SPUR_AT_MetricInstance_recorder];
    word[SPUR_AT_MetricInstance_scope] = a->input->process;
}

static void give_name(struct spur_unify *unify, uint32_t space, uint64_t id, uint64_t name)
{
    if (id == OTF2_UNDEFINED_UINT32 || name == OTF2_UNDEFINED_STRING)
        return;
    struct unify_numbered *numbered = unify_numbered(unify, space, (uint32_t)id);
    if (numbered->named_in == 0 || numbered->named_in == unify->epoch) {
        numbered->named_in = unify->epoch;
        numbered->name = name;
    }
}

static bool copy_mapped(struct adding *a, const struct spur_record *record,
                        const struct spur_cell *cells)
{
    const struct spur_definition *row = &spur_definitions[record->kind];
    struct spur_words *scratch = &a->unify->scratch;
    scratch->n = 0;
    uint64_t *word = spur_words_add(scratch, record->words);
    if (!word)
        return false;
    memcpy(word, record->word, record->words * sizeof *word);
    for (int i = 0; i < row->cells; i++) {
        uint64_t *at = word + ((const uint64_t *)cells[i].at - record->word);
        if (row->cell[i] < SPUR_SPACES)
            *at = spur_map_get(a->map, row->cell[i], cells[i].number);
        else if (spur_list_space(row->cell[i]) != SPUR_SPACES)
            for (uint64_t n = 0; n < cells[i].number; n++)
                at[n] = spur_map_get(a->map, spur_list_space(row->cell[i]), at[n]);
    }
    return true;
}

/* OTF2_UNDEFINED_UINT32: no memory. */
static uint32_t add_definition(struct adding *a, uint32_t kind, const struct spur_cell *cells)
{
    struct spur_words *scratch = &a->unify->scratch;
    if (kind == SPUR_DEFINITION_Group && !adapt_group(a, cells))
        return OTF2_UNDEFINED_UINT32;
    uint64_t name = OTF2_UNDEFINED_STRING;
    if (kind == SPUR_DEFINITION_InterComm)
        order_sides(a);
    if (kind == SPUR_DEFINITION_MetricInstance)
        adapt_instance(a);
    if (unify_is_numbered(kind)) {
        /* Names may change and are kept apart. */
        name = scratch->at[SPUR_UNIFY_AT_NAME];
        scratch->at[SPUR_UNIFY_AT_NAME] = OTF2_UNDEFINED_STRING;
    }
    struct unify_wanted wanted = {.kind = kind, .word = scratch->at, .words = scratch->n};
    if (!unify_is_numbered(kind))
        return unify_intern(a->unify, &wanted);
    uint32_t id = intern_numbered(a->unify, &wanted);
    give_name(a->unify, spur_definitions[kind].space, id, name);
    return id;
}

/* The name of a definition: the reference of the definition first, then the name. */
static void add_name(struct adding *a, uint32_t kind)
{
    for (int i = 0; i < NAMINGS; i++)
        if (namings[i].update == kind)
            give_name(a->unify, namings[i].space, a->unify->scratch.at[0], a->unify->scratch.at[1]);
}

static bool add_record(struct adding *a, const struct spur_record *record,
                       const struct spur_cell *cells)
{
    uint32_t space = spur_definitions[record->kind].space;
    if (!copy_mapped(a, record, cells))
        return false;
    if (space == SPUR_SPACES) {
        add_name(a, record->kind);
        return true;
    }
    uint64_t *global = spur_words_add(&a->map->of[space], 1);
    if (!global)
        return false;
    uint32_t id = add_definition(a, record->kind, cells);
    a->map->of[space].at[a->counts.of[space]++] = id;
    return id != OTF2_UNDEFINED_UINT32;
}

int spur_unify_add(struct spur_unify *unify, const struct spur_unify_input *input,
                   struct spur_map *map)
{
    struct spur_map unwanted = {{{0}}};
    struct adding a = {.unify = unify, .input = input, .map = map ? map : &unwanted};
    struct spur_record record;
    struct spur_cell cells[SPUR_CELLS_MAX];
    uint64_t at = 0;
    int err = 0;
    unify->epoch++;
    while (!err && spur_journal_next(input->journal, input->bytes, &at, &record) &&
           spur_record_unpack(&record, &a.counts, cells))
        err = add_record(&a, &record, cells) ? 0 : -ENOMEM;
    spur_map_free(&unwanted);
    return err;
}

/* ---- the result ---- */

uint32_t spur_unify_count(const struct spur_unify *unify, enum spur_space space)
{
    return (uint32_t)unify->at[space].n;
}

void spur_unify_get(const struct spur_unify *unify, enum spur_space space, uint32_t id,
                    struct spur_record *record, struct spur_cell *cells)
{
    unify_record(unify, space, id, record);
    (void)spur_record_unpack(record, NULL, cells);
}

uint32_t spur_unify_name(const struct spur_unify *unify, enum spur_space space, uint32_t id)
{
    return (uint32_t)unify_numbered(unify, space, id)->name;
}

static bool append_names(const struct spur_unify *unify, struct spur_words *journal, int naming)
{
    enum spur_space space = namings[naming].space;
    for (uint32_t id = 0; id < unify->at[space].n; id++) {
        const uint64_t word[] = {id, unify_numbered(unify, space, id)->name};
        if (word[1] != OTF2_UNDEFINED_STRING &&
            !unify_append(journal, namings[naming].update, word, sizeof word / sizeof word[0]))
            return false;
    }
    return true;
}

/* Names stand at the end, in the order of ids: so the order of arrival does not matter. */
int spur_unify_journal(const struct spur_unify *unify, struct spur_words *journal)
{
    if (unify->journal.n == 0)
        return 0;
    uint64_t *at = spur_words_add(journal, unify->journal.n);
    if (!at)
        return -ENOMEM;
    memcpy(at, unify->journal.at, unify->journal.n * sizeof *at);
    for (int i = 0; i < NAMINGS; i++)
        if (!append_names(unify, journal, i))
            return -ENOMEM;
    return 0;
}

uint32_t spur_map_get(const struct spur_map *map, enum spur_space space, uint64_t local)
{
    return local < map->of[space].n ? (uint32_t)map->of[space].at[local] : OTF2_UNDEFINED_UINT32;
}

void spur_map_free(struct spur_map *map)
{
    for (int i = 0; i < SPUR_SPACES; i++)
        spur_words_free(&map->of[i]);
}
