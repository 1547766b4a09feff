/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The definitions unified so far, with references to one another only (for finish/unify/unify.c and
 * finish/unify/unify_store.c only). The definitions form a journal. A hash table finds equal
 * definitions in the journal.
 */
#ifndef SPUR_UNIFY_STORE_H
#define SPUR_UNIFY_STORE_H

#include "finish/unify/unify.h"

struct unify_entry {
    uint32_t hash;
    uint32_t id_plus_1; /* 0: free */
    uint32_t space;
};

/*
 * Data beyond the record, for a definition known by its ordinal. An epoch is the number of the
 * input, from 1.
 */
struct unify_numbered {
    uint64_t ordinal;  /* among definitions of the same groups and communicators in each process */
    uint64_t epoch;    /* of the first definition of the kind: the last counted input, */
    uint64_t count;    /* and the count of this input so far */
    uint64_t named_in; /* the input that gave the name, 0: no name */
    uint64_t name;
};

struct spur_unify {
    struct spur_words journal;
    struct spur_words at[SPUR_SPACES]; /* of each definition's header in the journal */
    struct spur_words numbered[SPUR_SPACES];
    struct spur_words scratch; /* the record at hand, with global references */
    struct unify_entry *table; /* open addressing, a power of two, at most half full */
    uint32_t entries, taken;
    uint64_t epoch;
};

/* A wanted definition. */
struct unify_wanted {
    uint32_t kind;
    uint32_t hash;
    const uint64_t *word;
    size_t words;
    uint64_t ordinal;
};

/* Are definitions of this kind known by their ordinals? */
bool unify_is_numbered(uint32_t kind);

/*
 * Find or add a definition; returns the id, or OTF2_UNDEFINED_UINT32: no memory. Sets wanted->hash.
 */
uint32_t unify_intern(struct spur_unify *unify, struct unify_wanted *wanted);

/* Borrowed until the next definition is added. */
void unify_record(const struct spur_unify *unify, uint32_t space, uint32_t id,
                  struct spur_record *record);
struct unify_numbered *unify_numbered(const struct spur_unify *unify, uint32_t space, uint32_t id);

/* Append a record to a journal. False: no memory. */
bool unify_append(struct spur_words *journal, uint32_t kind, const uint64_t *word, size_t words);

#endif
