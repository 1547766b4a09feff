/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/iterations/beats.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/iterations/beats_cuts.h"

/* A symbol that may mark the iterations: a candidate for a beat. */
struct candidate {
    uint32_t symbol;
    bool is_of_runs; /* by the last calls of the symbol's runs */
    size_t n;
    size_t first; /* first and last call */
    size_t last;
};

struct candidates {
    struct candidate *at;
    size_t n;
};

/* is_cut: by call of the sequence, whether the call ends a run. */
static bool is_beat(const struct beats *b, const bool *is_cut, const struct candidate *c, size_t i)
{
    return b->symbols[i] == c->symbol && (!c->is_of_runs || is_cut[i]);
}

/* ---- shapes ---- */

struct shape {
    uint64_t hash;
    size_t n; /* segments of a usual length */
    uint64_t time;
};

/* The shapes of the segments of a candidate. */
struct shapes {
    LIST(struct shape) all;
    struct map index_of;
    size_t recent; /* the shape before: a repetition is mostly the same again */
    size_t most;   /* calls of the most frequent shape */
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

/* ---- judging a candidate ---- */

static bool is_most(size_t part, size_t of)
{
    return 4 * part >= 3 * of;
}

/* Counts the segments of a candidate; false: too few segments can be usual. */
static bool count_shapes(const struct beats *b, const bool *is_cut, const struct candidate *c,
                         size_t *seen_in, struct shapes *s)
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
        if (!is_beat(b, is_cut, c, i))
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

/* The share of usual segments in the time; 0: the candidate is no beat. */
static double share_of(const struct beats *b, const bool *is_cut, const struct candidate *c,
                       size_t *seen_in)
{
    struct shapes s = {0};
    uint64_t time = 0;
    uint64_t whole = b->times[b->n - 1] - b->times[0];
    if (count_shapes(b, is_cut, c, seen_in, &s) && is_most(s.most, c->n - 1))
        for (size_t i = 0; i < s.all.n; i++)
            if (s.all.at[i].n == s.most)
                time = s.all.at[i].time;
    free(s.all.at);
    free(s.index_of.slots);
    return time && time >= whole - time ? (double)time / (double)whole : 0.0;
}

/* ---- candidates ---- */

/*
 * Candidates with the fewest calls first, and runs behind all calls; of a loop, the call that ends
 * the loop comes first.
 */
static int by_loop(const void *a, const void *b)
{
    const struct candidate *x = a;
    const struct candidate *y = b;
    if (x->is_of_runs != y->is_of_runs)
        return x->is_of_runs ? 1 : -1;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    return (x->last < y->last) - (x->last > y->last);
}

/* Segments that cover half of the time need calls whose span is at least half of the time. */
static bool may_be(const struct beats *b, const struct candidate *c)
{
    uint64_t whole = b->times[b->n - 1] - b->times[0];
    uint64_t span = b->times[c->last] - b->times[c->first];
    return c->n >= BEATS_LEAST && span >= whole - span;
}

static void add_call(struct candidate *c, size_t i)
{
    if (!c->n++)
        c->first = i;
    c->last = i;
}

/*
 * The candidates of each symbol: all calls of the symbol, and, if fewer, the last calls of the
 * symbol's runs.
 */
static struct candidates candidates_of(const struct beats *b, const bool *is_cut,
                                       const bool *is_agreed)
{
    struct candidates found = {take_memory(2 * (size_t)b->n_symbols * sizeof *found.at), 0};
    struct candidate *all = found.at, *runs = all + b->n_symbols;
    for (uint32_t i = 0; i < b->n_symbols; i++) {
        all[i].symbol = runs[i].symbol = i;
        runs[i].is_of_runs = true;
    }
    for (size_t i = 0; i < b->n; i++) {
        add_call(&all[b->symbols[i]], i);
        if (is_cut[i])
            add_call(&runs[b->symbols[i]], i);
    }
    for (uint32_t i = 0; i < b->n_symbols; i++)
        if (runs[i].n == all[i].n)
            runs[i].n = 0;
    for (size_t i = 0; i < 2 * (size_t)b->n_symbols; i++) {
        struct candidate c = found.at[i];
        if (is_agreed[c.symbol] && may_be(b, &c))
            found.at[found.n++] = c;
    }
    if (found.n)
        qsort(found.at, found.n, sizeof *found.at, by_loop);
    return found;
}

/* ---- where the first iteration begins ---- */

/*
 * The begin of the first iteration: goes back from the first beat over calls that the iterations
 * contain as well.
 */
static size_t begin_of(const struct beats *b, const bool *is_cut, const struct candidate *c,
                       size_t *seen_in)
{
    size_t second = c->first + 1;
    size_t begin = c->first;
    memset(seen_in, 0, b->n_symbols * sizeof *seen_in);
    while (!is_beat(b, is_cut, c, second))
        seen_in[b->symbols[second++]] = 1;
    while (begin && seen_in[b->symbols[begin - 1]])
        begin--;
    return begin;
}

/* ---- the calls that end an iteration ---- */

/*
 * The last call of the symbol ends an iteration, and each `period`-th call before; or all calls
 * that end a run.
 */
static void set_ends(const struct beats *b, const bool *is_cut, const struct candidate *c,
                     size_t period, struct beat_loop *loop)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        n += b->symbols[i] == c->symbol;
    loop->is_end = take_memory(n * sizeof *loop->is_end);
    loop->n = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (b->symbols[i] != c->symbol)
            continue;
        size_t number = loop->n_calls++;
        loop->is_end[number] = c->is_of_runs ? is_cut[i] : (n - 1 - number) % period == 0;
        loop->n += loop->is_end[number];
    }
}

static size_t period_of(const struct beats *b, const struct candidate *c)
{
    uint64_t *times = take_memory(c->n * sizeof *times);
    size_t n = 0;
    for (size_t i = c->first; i <= c->last; i++)
        if (b->symbols[i] == c->symbol)
            times[n++] = b->times[i];
    size_t period = cuts_period(times, n - 1);
    free(times);
    return period;
}

/* Whether a loop with several calls an iteration has already been made from the same calls. */
static bool is_known(const struct candidate *c, const struct beat_loop *loops, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (loops[i].is_end && loops[i].n_calls == c->n && !c->is_of_runs)
            return true;
    return false;
}

/* Makes the candidate of all calls of the symbol. */
static void find_whole(const struct beats *b, struct candidate *c)
{
    *c = (struct candidate){.symbol = c->symbol};
    for (size_t i = 0; i < b->n; i++)
        if (b->symbols[i] == c->symbol)
            add_call(c, i);
}

/* The loop of a candidate, behind n earlier loops. False: the candidate is no loop. */
static bool make_loop(const struct beats *b, const bool *is_cut, const struct candidate *c,
                      size_t *seen_in, struct beat_loop *loops, size_t n)
{
    struct beat_loop *loop = &loops[n];
    double share = share_of(b, is_cut, c, seen_in);
    struct candidate whole = *c; /* all calls; no beat if the runs are a beat */
    if (share > 0.0 && c->is_of_runs) {
        find_whole(b, &whole);
        share = share_of(b, is_cut, &whole, seen_in) > 0.0 ? 0.0 : share;
    }
    if (!(share > 0.0))
        return false;
    size_t period = c->is_of_runs ? 1 : period_of(b, c);
    if (n && c->n < period * BEATS_INNER * loops[n - 1].n) /* loop around the candidate */
        period = 1;
    *loop = (struct beat_loop){.symbol = c->symbol,
                               .n = c->n,
                               .first = begin_of(b, is_cut, c, seen_in),
                               .share = share};
    if (c->is_of_runs || period > 1)
        set_ends(b, is_cut, c, period, loop);
    if (loop->n >= BEATS_LEAST && (!n || loop->n >= BEATS_INNER * loops[n - 1].n))
        return true;
    free(loop->is_end);
    return false;
}

size_t beats_find(const struct beats *b, const bool *is_agreed, struct beat_loop loops[BEATS_LOOPS])
{
    size_t n = 0;
    size_t tries = 0;
    size_t of_loop = 0;
    bool *is_cut = cuts_of_runs(b);
    struct candidates all = candidates_of(b, is_cut, is_agreed);
    size_t *seen_in = take_memory((b->n_symbols + 1) * sizeof *seen_in);
    for (size_t i = 0; i < all.n && n < BEATS_LOOPS && tries < BEATS_TRIES; i++) {
        const struct candidate *c = &all.at[i];
        of_loop = i && all.at[i - 1].n == c->n ? of_loop + 1 : 1;
        if (of_loop > BEATS_TRIES_OF_LOOP || (n && c->n < BEATS_INNER * loops[n - 1].n) ||
            is_known(c, loops, n))
            continue;
        tries++;
        n += make_loop(b, is_cut, c, seen_in, loops, n);
    }
    free(all.at);
    free(seen_in);
    free(is_cut);
    return n;
}
