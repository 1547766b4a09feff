/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of names, with data by name. An entry stays for good, so a table is searched without a
 * lock, by signal handlers and children of fork() as well.
 */
#ifndef WRAPPERS_KIT_WRAPPER_NAMES_H
#define WRAPPERS_KIT_WRAPPER_NAMES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/spur_agent.h"

/* The beginning of an entry. An entry is found by its text among the entries with the same key. */
struct wrapper_name {
    struct wrapper_name *next; /* in its chain */
    uint64_t hash;
    uint32_t key, length;
    const char *text; /* not ended by a zero */
};

struct wrapper_names {
    _Atomic(struct wrapper_name *) *chain;
    uint32_t chains; /* a power of two */
    _Atomic uint32_t n;
};

uint64_t wrapper_name_hash(uint32_t key, const char *text, size_t length);

/* A name to look for; the text is borrowed. */
static inline struct wrapper_name wrapper_name_of(uint32_t key, const char *text, size_t length)
{
    return (struct wrapper_name){.hash = wrapper_name_hash(key, text, length),
                                 .key = key,
                                 .length = (uint32_t)length,
                                 .text = text};
}

static inline _Atomic(struct wrapper_name *) *wrapper_names_chain(const struct wrapper_names *names,
                                                                  uint64_t hash)
{
    return &names->chain[hash & (names->chains - 1)];
}

/* Search the entries of a chain from `at` up to `end`. */
static inline struct wrapper_name *wrapper_name_find(struct wrapper_name *at,
                                                     const struct wrapper_name *end,
                                                     const struct wrapper_name *like)
{
    while (at != end &&
           (at->hash != like->hash || at->key != like->key || at->length != like->length ||
            memcmp(at->text, like->text, at->length) != 0))
        at = at->next;
    return at != end ? at : NULL;
}

/* NULL: no entry. */
static inline struct wrapper_name *wrapper_names_find(const struct wrapper_names *names,
                                                      const struct wrapper_name *like)
{
    struct wrapper_name *first =
        atomic_load_explicit(wrapper_names_chain(names, like->hash), memory_order_acquire);
    return wrapper_name_find(first, NULL, like);
}

/* Adds `mine`, unless another thread has added an equal entry: returns the entry in the table. */
struct wrapper_name *wrapper_names_add(struct wrapper_names *names, struct wrapper_name *mine);

/* ---- an id of a definition, of this process and not of its parent ---- */

typedef _Atomic uint64_t wrapper_id;
static inline bool wrapper_id_is_known(const wrapper_id *cache, uint32_t *id)
{
    uint64_t word = atomic_load_explicit(cache, memory_order_relaxed);
    *id = (uint32_t)word;
    return word >> 32 == (uint64_t)spur_generation() + 1;
}
static inline uint32_t wrapper_id_keep(wrapper_id *cache, uint32_t id)
{
    uint64_t word = ((uint64_t)spur_generation() + 1) << 32 | id;
    atomic_store_explicit(cache, word, memory_order_relaxed);
    return id;
}

#endif
