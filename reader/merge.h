/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The order of records from several sorted sources. Each inner node of a tree holds the loser of a
 * match between the sources below. So a source that has moved on plays one match a level, and
 * touches nothing else. Sources are numbered in the order that decides between equal times.
 *
 * A key is a number: the time since a base, and in the lowest bits the source, so that a match is
 * two conditional moves; branches that depend on times cannot be foretold. Times too far from the
 * base for a key are *far*, and wait for a nearer base: the tree is right as long as the winner is
 * not far. If the winner is far, or a time is in front of the base, the whole tree must be built
 * anew.
 */
#ifndef READER_MERGE_H
#define READER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

#include "format/memory.h"

static const uint64_t otf2_merge_ended = UINT64_MAX; /* the key of ended sources */

struct otf2_merge {
    uint64_t winner; /* a key */
    OTF2_TimeStamp base;
    uint64_t range;  /* times from here on behind the base are far */
    unsigned shift;  /* bits of a source */
    bool is_stale;   /* to be built anew */
    uint64_t leaves; /* a power of two */
    uint64_t *nodes; /* losers from 1 on; from `leaves` on the sources, see build */
};

/* For n > 0 sources. False without memory. */
static inline bool otf2_merge_init(struct otf2_merge *m, uint64_t n)
{
    m->leaves = 1;
    m->shift = 0;
    while (m->leaves < n) {
        m->leaves *= 2;
        m->shift++;
    }
    m->range = (UINT64_MAX >> m->shift) - 1;
    m->is_stale = true;
    m->nodes = otf2_mem_new((size_t)m->leaves * 2 * sizeof *m->nodes);
    return m->nodes != NULL;
}

static inline void otf2_merge_fini(struct otf2_merge *m)
{
    otf2_mem_free(m->nodes);
}

/* The key of a source's next time. */
static inline uint64_t otf2_merge_key(struct otf2_merge *m, OTF2_TimeStamp time, uint64_t source)
{
    uint64_t distance = time - m->base;
    if (__builtin_expect((distance >= m->range) | (time < m->base), 0)) {
        m->is_stale |= time < m->base;
        distance = m->range;
    }
    return distance << m->shift | source;
}

/*
 * The key behind the keys of all sources at a time, or before the time; far keys are behind the
 * returned key.
 */
static inline uint64_t otf2_merge_behind(const struct otf2_merge *m, OTF2_TimeStamp time)
{
    uint64_t distance = time - m->base;
    if (time < m->base)
        return 0;
    return (distance < m->range ? distance + 1 : m->range) << m->shift;
}

/* The source that comes next; at least one source must not have ended. */
static inline uint64_t otf2_merge_source(const struct otf2_merge *m, uint64_t key)
{
    return key & (m->leaves - 1);
}

/* Whether the winner is valid: neither far nor ended. */
static inline bool otf2_merge_is_settled(const struct otf2_merge *m)
{
    return m->winner >> m->shift < m->range && !m->is_stale;
}

/*
 * Builds the whole tree anew. Before the call, the base must be the least of all times, and
 * m->nodes must hold the keys by this base, from m->leaves on, for n sources.
 */
static inline void otf2_merge_build(struct otf2_merge *m, uint64_t n)
{
    uint64_t *nodes = m->nodes;
    for (uint64_t i = m->leaves + n; i < 2 * m->leaves; i++)
        nodes[i] = otf2_merge_ended;
    /* Winners go up. The loser takes the winner's place, and belongs to the node above. */
    for (uint64_t i = m->leaves - 1; i; i--) {
        uint64_t a = nodes[2 * i];
        uint64_t b = nodes[2 * i + 1];
        nodes[i] = a < b ? a : b;
        nodes[2 * i] = a < b ? b : a;
    }
    m->winner = nodes[1];
    for (uint64_t i = 1; i < m->leaves; i++)
        nodes[i] = nodes[2 * i];
    m->is_stale = false;
}

/*
 * The best key among the sources beaten by this source, the winner: the key of the next winner. The
 * source stays the winner while the source's key is less, and not far.
 */
static inline uint64_t otf2_merge_second(const struct otf2_merge *m, uint64_t source)
{
    uint64_t best = m->range << m->shift;
    for (uint64_t i = (m->leaves + source) / 2; i; i /= 2) {
        uint64_t loser = m->nodes[i];
        best = loser < best ? loser : best;
    }
    return best;
}

/* The winner, this source, moves on to `key`. */
static inline void otf2_merge_replace(struct otf2_merge *m, uint64_t source, uint64_t key)
{
    for (uint64_t i = (m->leaves + source) / 2; i; i /= 2) {
        uint64_t loser = m->nodes[i];
        uint64_t less = loser < key ? loser : key;
        m->nodes[i] = loser < key ? key : loser;
        key = less;
    }
    m->winner = key;
}

#endif
