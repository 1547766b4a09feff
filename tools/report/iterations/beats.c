/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/iterations/beats.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

/* A symbol that may be a beat. */
struct candidate {
    uint32_t symbol;
    size_t n;
    size_t first; /* its calls */
    size_t last;
};

struct candidates {
    struct candidate *at;
    size_t n;
};

/* ---- shapes ---- */

struct shape {
    uint64_t hash;
    size_t n; /* segments of a usual length */
    uint64_t time;
};

/* The shapes of the segments of one candidate. */
struct shapes {
    LIST(struct shape) all;
    struct map index_of;
    size_t recent; /* what repeats is mostly the same as before */
    size_t most;   /* calls of the most frequent one */
};

static struct shape *shape_of(struct shapes *s, uint64_t hash)
{
    if (s->all.n && s->all.at[s->recent].hash == hash)
        return &s->all.at[s->recent];
    uint32_t index = map_index(&s->index_of, hash, 0, s->all.n);
    if (index == s->all.n)
        *LIST_ADD(&s->all) = (struct shape){.hash = hash};
    s->recent = index;
    return &s->all.at[index];
}

/* splitmix64: the order of the symbols matters. */
static uint64_t mixed(uint64_t hash, uint32_t symbol)
{
    hash += (uint64_t)symbol + 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
    return hash ^ (hash >> 31);
}

/* ---- is it a beat? ---- */

static bool is_most(size_t part, size_t of)
{
    return 4 * part >= 3 * of;
}

/* Counts the segments of a candidate; false: too few of them can be usual. */
static bool count_shapes(const struct beats *b, const struct candidate *c, size_t *seen_in,
                         struct shapes *s)
{
    size_t calls = c->last - c->first;
    size_t left = c->n - 1;
    size_t begin = c->first;
    uint64_t hash = 0;
    memset(seen_in, 0, b->n_symbols * sizeof *seen_in);
    for (size_t i = c->first + 1; i <= c->last; i++) {
        uint32_t symbol = b->symbols[i];
        if (seen_in[symbol] <= begin) {
            seen_in[symbol] = i;
            hash = mixed(hash, symbol);
        }
        if (symbol != c->symbol)
            continue;
        size_t scaled = (i - begin) * (c->n - 1);
        if (2 * scaled >= calls && scaled <= 2 * calls) {
            struct shape *shape = shape_of(s, hash);
            shape->time += b->times[i] - b->times[begin];
            s->most = ++shape->n > s->most ? shape->n : s->most;
        }
        if (!is_most(s->most + --left, c->n - 1))
            return false;
        begin = i;
        hash = 0;
    }
    return true;
}

/* The share of usual segments in the time; 0: it is no beat. */
static double share_of(const struct beats *b, const struct candidate *c, size_t *seen_in)
{
    struct shapes s = {0};
    uint64_t time = 0;
    uint64_t whole = b->times[b->n - 1] - b->times[0];
    if (count_shapes(b, c, seen_in, &s) && is_most(s.most, c->n - 1))
        for (size_t i = 0; i < s.all.n; i++)
            if (s.all.at[i].n == s.most)
                time = s.all.at[i].time;
    free(s.all.at);
    free(s.index_of.slots);
    return time && time >= whole - time ? (double)time / (double)whole : 0.0;
}

/* ---- candidates ---- */

/* Those with fewest calls first; of a loop the one that ends it. */
static int by_loop(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->last < y->last) - (x->last > y->last);
}

/* Segments that are half of the time lie between calls that are as far apart. */
static bool may_be(const struct beats *b, const struct candidate *c)
{
    uint64_t whole = b->times[b->n - 1] - b->times[0];
    uint64_t span = b->times[c->last] - b->times[c->first];
    return c->n >= BEATS_LEAST && span >= whole - span;
}

static struct candidates candidates_of(const struct beats *b, const bool *is_agreed)
{
    struct candidates found = {take_memory(b->n_symbols * sizeof *found.at), b->n_symbols};
    size_t n = 0;
    for (uint32_t i = 0; i < b->n_symbols; i++)
        found.at[i].symbol = i;
    for (size_t i = 0; i < b->n; i++) {
        struct candidate *c = &found.at[b->symbols[i]];
        if (!c->n++)
            c->first = i;
        c->last = i;
    }
    for (size_t i = 0; i < found.n; i++)
        if (is_agreed[found.at[i].symbol] && may_be(b, &found.at[i]))
            found.at[n++] = found.at[i];
    found.n = n;
    if (n)
        qsort(found.at, n, sizeof *found.at, by_loop);
    return found;
}

/* ---- where the first iteration begins ---- */

/* Back from the first beat over calls that the iterations have as well. */
static size_t begin_of(const struct beats *b, const struct candidate *c, size_t *seen_in)
{
    size_t second = c->first + 1;
    size_t begin = c->first;
    memset(seen_in, 0, b->n_symbols * sizeof *seen_in);
    while (b->symbols[second] != c->symbol)
        seen_in[b->symbols[second++]] = 1;
    while (begin && seen_in[b->symbols[begin - 1]])
        begin--;
    return begin;
}

size_t beats_find(const struct beats *b, const bool *is_agreed, struct beat_loop loops[BEATS_LOOPS])
{
    size_t n = 0;
    size_t tries = 0;
    size_t of_loop = 0;
    struct candidates all = candidates_of(b, is_agreed);
    size_t *seen_in = take_memory((b->n_symbols + 1) * sizeof *seen_in);
    for (size_t i = 0; i < all.n && n < BEATS_LOOPS && tries < BEATS_TRIES; i++) {
        const struct candidate *c = &all.at[i];
        of_loop = i && all.at[i - 1].n == c->n ? of_loop + 1 : 1;
        if (of_loop > BEATS_TRIES_OF_LOOP || (n && c->n < BEATS_INNER * loops[n - 1].n))
            continue;
        tries++;
        double share = share_of(b, c, seen_in);
        if (share > 0.0)
            loops[n++] = (struct beat_loop){c->symbol, c->n, begin_of(b, c, seen_in), share};
    }
    free(all.at);
    free(seen_in);
    return n;
}
