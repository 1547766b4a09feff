/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which of several sorted sources comes next: a tree whose inner nodes hold the loser of each match
 * between the sources below, so that a source that has moved on plays one match a level and touches
 * nothing else. Sources are numbered in the order that decides between equal times.
 *
 * Inline and without branches that depend on times, since those cannot be foretold.
 */
#ifndef READER_MERGE_H
#define READER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include <otf2/OTF2_GeneralDefinitions.h>

#include "format/mem.h"

struct otf2_merge_key {
    OTF2_TimeStamp time;
    uint64_t source; /* at least OTF2_MERGE_ENDED: it has nothing more */
};

#define OTF2_MERGE_ENDED (UINT64_C(1) << 63)

struct otf2_merge {
    struct otf2_merge_key winner;
    uint64_t leaves;              /* a power of two */
    struct otf2_merge_key *nodes; /* losers from 1 on; from `leaves` on the sources, see build */
};

static inline struct otf2_merge_key otf2_merge_ended(uint64_t source)
{
    return (struct otf2_merge_key){UINT64_MAX, OTF2_MERGE_ENDED | source};
}

static inline bool otf2_merge_is_ended(struct otf2_merge_key key)
{
    return key.source >= OTF2_MERGE_ENDED;
}

static inline bool otf2_merge_is_less(struct otf2_merge_key a, struct otf2_merge_key b)
{
    return (a.time < b.time) | ((a.time == b.time) & (a.source < b.source));
}

/* For n > 0 sources, all of which have ended. False without memory. */
static inline bool otf2_merge_init(struct otf2_merge *m, uint64_t n)
{
    m->leaves = 1;
    while (m->leaves < n)
        m->leaves *= 2;
    m->nodes = otf2_mem_new((size_t)m->leaves * 2 * sizeof *m->nodes);
    for (uint64_t i = 0; m->nodes && i < m->leaves; i++)
        m->nodes[m->leaves + i] = otf2_merge_ended(i);
    return m->nodes != NULL;
}

static inline void otf2_merge_fini(struct otf2_merge *m)
{
    otf2_mem_free(m->nodes);
}

/* Says what a source has, before otf2_merge_build(). */
static inline void otf2_merge_set(struct otf2_merge *m, struct otf2_merge_key key)
{
    m->nodes[m->leaves + (key.source & ~OTF2_MERGE_ENDED)] = key;
}

/* All matches. What sources have must have been set since the last time. */
static inline void otf2_merge_build(struct otf2_merge *m)
{
    struct otf2_merge_key *nodes = m->nodes;
    for (uint64_t i = m->leaves - 1; i; i--) {
        /* Winners go up; their place is taken by the loser when their own match was played. */
        struct otf2_merge_key a = nodes[2 * i];
        struct otf2_merge_key b = nodes[2 * i + 1];
        bool is_first = otf2_merge_is_less(a, b);
        nodes[i] = is_first ? a : b;
        nodes[2 * i] = is_first ? b : a;
        nodes[2 * i + 1] = nodes[2 * i];
    }
    m->winner = nodes[1];
    /* The loser of the match at node i lies in both its children now. */
    for (uint64_t i = 1; i < m->leaves; i++)
        nodes[i] = nodes[2 * i];
}

/*
 * The best of those that the winner has beaten: it stays the winner while it is less than that. A
 * source that has ended is not less than any other such.
 */
static inline struct otf2_merge_key otf2_merge_second(const struct otf2_merge *m)
{
    struct otf2_merge_key best = otf2_merge_ended(0);
    uint64_t leaf = m->winner.source & ~OTF2_MERGE_ENDED;
    for (uint64_t i = (m->leaves + leaf) / 2; i; i /= 2) {
        struct otf2_merge_key loser = m->nodes[i];
        uint64_t takes = -(uint64_t)otf2_merge_is_less(loser, best);
        best.time ^= (best.time ^ loser.time) & takes;
        best.source ^= (best.source ^ loser.source) & takes;
    }
    return best;
}

/* The winner moves on to `key`. */
static inline void otf2_merge_replace(struct otf2_merge *m, struct otf2_merge_key key)
{
    uint64_t leaf = key.source & ~OTF2_MERGE_ENDED;
    for (uint64_t i = (m->leaves + leaf) / 2; i; i /= 2) {
        struct otf2_merge_key loser = m->nodes[i];
        uint64_t swaps = -(uint64_t)otf2_merge_is_less(loser, key);
        uint64_t time = (loser.time ^ key.time) & swaps;
        uint64_t source = (loser.source ^ key.source) & swaps;
        m->nodes[i].time = loser.time ^ time;
        m->nodes[i].source = loser.source ^ source;
        key.time ^= time;
        key.source ^= source;
    }
    m->winner = key;
}

#endif
