/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/kit/wrapper_names.h"

#include <string.h>

static uint64_t mix(uint64_t hash, uint64_t word)
{
    enum { SHIFT = 29 };
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> SHIFT;
}

/* Fewer bytes than a word has. */
static uint64_t rest_of(const char *text, size_t length)
{
    enum { HALF = sizeof(uint32_t), HALF_BITS = 32 };
    uint32_t first, last;
    uint64_t word = 0;
    if (length < HALF) {
        for (size_t i = 0; i < length; i++)
            word = word << 8 | (uint8_t)text[i];
        return word;
    }
    memcpy(&first, text, HALF);
    memcpy(&last, text + length - HALF, HALF);
    return (uint64_t)first << HALF_BITS | last;
}

uint64_t wrapper_name_hash(uint32_t key, const char *text, size_t length)
{
    uint64_t hash = mix(length, key), word;
    for (; length >= sizeof word; length -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        hash = mix(hash, word);
    }
    return mix(hash, rest_of(text, length));
}

struct wrapper_name *wrapper_names_add(struct wrapper_names *names, struct wrapper_name *mine)
{
    _Atomic(struct wrapper_name *) *chain = wrapper_names_chain(names, mine->hash);
    struct wrapper_name *first = atomic_load_explicit(chain, memory_order_acquire);
    const struct wrapper_name *seen = NULL;
    do {
        struct wrapper_name *other = wrapper_name_find(first, seen, mine);
        if (other)
            return other;
        seen = first;
        mine->next = first;
    } while (!atomic_compare_exchange_weak(chain, &first, mine));
    atomic_fetch_add(&names->n, 1);
    return mine;
}
