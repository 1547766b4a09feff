/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/iterations/iterations.h"

#include <stdlib.h>

#include "tools/report/iterations/beats.h"
#include "tools/report/iterations/iterations_parts.h"

enum { SLOW_MOST = 3 }; /* times the usual: slower iterations are no part of a drift */

/* ---- calls as symbols ---- */

/*
 * A call from a known site is the same symbol anywhere in the tree; without a site, the callers
 * decide.
 */
uint32_t script_make_symbol(struct script *s, uint32_t index)
{
    const struct node *node = &s->r->profile.nodes.at[index];
    uint64_t caller = (uint64_t)1 << 32 | node->site;
    if (node->site == NIL)
        caller = node->parent == NIL ? 0 : script_symbol(s, node->parent) + 1;
    uint32_t symbol = map_index(&s->known, node->region, caller, s->n_symbols);
    s->n_symbols += symbol == s->n_symbols;
    s->symbol_of[index] = symbol + 1;
    return symbol;
}

static bool is_within(const struct node *nodes, uint32_t node, uint32_t caller)
{
    while (node != NIL && node > caller)
        node = nodes[node].parent;
    return node == caller;
}

uint64_t script_call_end(const struct script *s, uint32_t location, size_t index)
{
    const struct stream *stream = &s->r->profile.streams[location];
    const struct node *nodes = s->r->profile.nodes.at;
    const struct track *track = &stream->kept;
    uint32_t outer = script_node(s, location, track->calls.at[index].node);
    for (size_t i = index; i < track->calls.n; i++) {
        const struct track_call *call = &track->calls.at[i];
        size_t end = i + 1 < track->calls.n ? call[1].first : track->laps.n;
        uint64_t time = call->begin;
        uint32_t inner = script_node(s, location, call->node);
        if (i > index && (!is_within(nodes, inner, outer) || (call->is_call && inner == outer)))
            return time;
        for (size_t k = call->first; k < end; k++) {
            if (!is_within(nodes, script_node(s, location, track->laps.at[k].node), outer))
                return time;
            time += track->laps.at[k].ticks;
        }
    }
    return stream->last;
}

/* ---- the processes taken ---- */

static size_t calls_of(const struct report *r, uint32_t location)
{
    return location == NIL ? 0 : r->profile.streams[location].kept.calls.n;
}

static void choose_processes(struct script *s)
{
    const struct report *r = s->r;
    uint32_t most = NIL;
    for (size_t i = 0; i < r->defs.processes.n; i++) {
        const struct process *p = &r->defs.processes.at[i];
        if (p->main == NIL || !r->is_selected[p->main])
            continue;
        if (p->rank != NIL && calls_of(r, p->main) > 1)
            *LIST_ADD(&s->locations) = p->main;
        if (p->rank == NIL && calls_of(r, p->main) > calls_of(r, most))
            most = p->main;
    }
    if (!s->locations.n && most != NIL && !r->tracks.has_ranks)
        *LIST_ADD(&s->locations) = most;
}

/* ---- the calls on which processes agree ---- */

/* How often a process makes the calls of a symbol. */
struct count {
    uint32_t location;
    uint32_t symbol;
    uint64_t n;
};

typedef LIST(struct count) counts;

static bool is_marked(const struct report *r, const struct node *node)
{
    const struct region *region = &r->defs.regions.at[node->region];
    return tracks_is_mark(&r->tracks, region);
}

/* The profile has counted the calls. */
static void count_calls(struct script *s, counts *all)
{
    struct map index_of = {0}; /* (location, symbol) */
    bool *is_main = take_memory(s->r->defs.locations.n * sizeof *is_main);
    for (size_t i = 0; i < s->locations.n; i++)
        is_main[s->locations.at[i]] = true;
    for (uint32_t i = 0; i < s->r->profile.nodes.n; i++) {
        const struct node *node = &s->r->profile.nodes.at[i];
        if (!node->calls || !is_main[node->location] || !is_marked(s->r, node))
            continue;
        uint32_t symbol = script_symbol(s, i);
        uint32_t index = map_index(&index_of, node->location, symbol, all->n);
        struct count *count = index == all->n ? LIST_ADD(all) : &all->at[index];
        count->location = node->location;
        count->symbol = symbol;
        count->n += node->calls;
    }
    free(is_main);
    free(index_of.slots);
}

/*
 * By symbol: whether all processes make the call equally often. *n_calls: the calls of the first
 * process.
 */
static bool *agreed(struct script *s, size_t *n_calls)
{
    counts *all = take_memory(sizeof *all);
    count_calls(s, all);
    uint64_t *of_first = take_memory(s->n_symbols * sizeof *of_first);
    size_t *n_same = take_memory(s->n_symbols * sizeof *n_same);
    bool *is_agreed = take_memory(s->n_symbols * sizeof *is_agreed);
    *n_calls = 0;
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].location == s->locations.at[0]) {
            of_first[all->at[i].symbol] = all->at[i].n;
            *n_calls += all->at[i].n;
        }
    for (size_t i = 0; i < all->n; i++)
        n_same[all->at[i].symbol] += all->at[i].n == of_first[all->at[i].symbol];
    for (uint32_t i = 0; i < s->n_symbols; i++)
        is_agreed[i] = n_same[i] == s->locations.n;
    free(all->at);
    free(all);
    free(of_first);
    free(n_same);
    return is_agreed;
}

/* ---- loops ---- */

/*
 * The communicating calls of the first process, in arrays. A call like MPI_Comm_size is no part of
 * a loop's shape: libraries make such calls wherever a number is needed. MPI_Init, which may take
 * longer than all later calls, is left out, too.
 */
struct sequence {
    uint32_t *symbols;
    uint64_t *times;
    size_t *entries; /* of the track */
    size_t n;
};

static bool begins_mpi(const struct report *r, uint32_t node)
{
    return r->defs.regions.at[r->profile.nodes.at[node].region].meaning == REGION_MPI_BEGIN;
}

static struct sequence sequence_of(struct script *s, size_t n)
{
    struct sequence q = {.symbols = take_memory(n * sizeof *q.symbols),
                         .times = take_memory(n * sizeof *q.times),
                         .entries = take_memory(n * sizeof *q.entries)};
    uint32_t location = s->locations.at[0];
    const struct track *track = script_track(s, location);
    for (size_t i = 0; i < track->calls.n && q.n < n; i++) {
        uint32_t node = script_node(s, location, track->calls.at[i].node);
        if (!track->calls.at[i].is_call || begins_mpi(s->r, node) ||
            tracks_call(s->r, node, NIL) == NIL)
            continue;
        q.symbols[q.n] = script_symbol(s, node);
        q.times[q.n] = track->calls.at[i].begin;
        q.entries[q.n++] = i;
    }
    return q;
}

/*
 * An iteration lasts until the last process has ended the iteration. loops_of: by symbol, the loops
 * with the symbol as their beat, a bit each.
 */
static void add_ends(struct script *s, struct iterations *all, const uint8_t *loops_of,
                     uint32_t location)
{
    const struct track *track = script_track(s, location);
    size_t at[BEATS_LOOPS] = {0}, number[BEATS_LOOPS] = {0};
    for (size_t i = 0; i < track->calls.n; i++) {
        const struct track_call *call = &track->calls.at[i];
        uint32_t node = script_node(s, location, call->node);
        unsigned loops = call->is_call ? loops_of[script_symbol(s, node)] : 0;
        uint64_t end = loops ? script_call_end(s, location, i) : 0;
        for (unsigned k = 0; k < all->loops.n; k++) {
            const struct loop *loop = &all->loops.at[k];
            if (!(loops >> k & 1) || !loop_ends_with(loop, number[k]++) ||
                at[k] >= loop->n) /* cut off: more calls than loop->n */
                continue;
            uint64_t *last = &loop->ends[at[k]++];
            *last = end > *last ? end : *last;
        }
    }
}

static void find_growth(struct script *s, struct loop *loop, uint32_t symbol)
{
    uint8_t *marks = take_memory(loop->n);
    if (loop->is_drift) {
        for (size_t i = 1; i < loop->n; i++) {
            double ticks = (double)loop_ticks(loop, i);
            if (4 * i < loop->n && ticks <= SLOW_MOST * loop->at_first)
                marks[i] = MARK_BEFORE;
            if (4 * (loop->n - i) <= loop->n && ticks <= SLOW_MOST * loop->at_end)
                marks[i] = MARK_AFTER;
        }
        loop->grows = growth_find(s, loop, symbol, marks);
    }
    if (loop->has_slow) {
        for (size_t i = 1; i < loop->n; i++) {
            uint64_t ticks = loop_ticks(loop, i);
            bool is_usual = ticks >= loop->quartiles[0] && ticks <= loop->quartiles[2];
            marks[i] = is_usual ? MARK_BEFORE : MARK_NONE;
        }
        marks[0] = MARK_NONE;
        marks[loop->slowest] = MARK_AFTER;
        loop->slow = growth_find(s, loop, symbol, marks);
    }
    free(marks);
}

static void add_loop(struct script *s, struct iterations *all, const struct sequence *q,
                     const struct beat_loop *found)
{
    const struct track *track = script_track(s, s->locations.at[0]);
    size_t i = found->first;
    while (q->symbols[i] != found->symbol)
        i++;
    uint32_t node = script_node(s, s->locations.at[0], track->calls.at[q->entries[i]].node);
    const struct node *beat = &s->r->profile.nodes.at[node];
    uint64_t begin = q->times[0];
    if (found->first) { /* the call before may enclose the loop */
        uint64_t end = script_call_end(s, s->locations.at[0], q->entries[found->first - 1]);
        begin = end < q->times[found->first] ? end : q->times[found->first];
    }
    *LIST_ADD(&all->loops) = (struct loop){.region = beat->region,
                                           .site = beat->site,
                                           .begin = begin,
                                           .ends = take_memory(found->n * sizeof(uint64_t)),
                                           .n = found->n,
                                           .is_end = found->is_end,
                                           .n_calls = found->n_calls,
                                           .share = found->share,
                                           .grows = {.process = NIL},
                                           .slow = {.process = NIL}};
}

static void make_loops(struct script *s, struct iterations *all, const struct sequence *q,
                       const struct beat_loop *found, size_t n)
{
    uint8_t *loops_of = take_memory(s->n_symbols);
    for (size_t i = 0; i < n; i++) {
        add_loop(s, all, q, &found[i]);
        loops_of[found[i].symbol] |= (uint8_t)(1 << i);
    }
    for (size_t i = 0; i < s->locations.n && n; i++)
        add_ends(s, all, loops_of, s->locations.at[i]);
    for (size_t i = 0; i < n; i++) {
        times_make(&all->loops.at[i]);
        find_growth(s, &all->loops.at[i], found[i].symbol);
    }
    free(loops_of);
}

static void find_loops(struct script *s, struct iterations *all)
{
    struct beat_loop found[BEATS_LOOPS];
    size_t n_calls;
    bool *is_agreed = agreed(s, &n_calls);
    struct sequence q = sequence_of(s, n_calls);
    struct beats beats = {q.symbols, q.times, q.n, s->n_symbols};
    make_loops(s, all, &q, found, q.n ? beats_find(&beats, is_agreed, found) : 0);
    free(q.symbols);
    free(q.times);
    free(q.entries);
    free(is_agreed);
}

const struct iterations *iterations_of(struct report *r)
{
    if (r->iterations)
        return r->iterations;
    struct iterations *all = take_memory(sizeof *all);
    struct script s = {.r = r};
    r->iterations = all;
    all->is_known = !r->tracks.is_over;
    if (!all->is_known)
        return all;
    s.symbol_of = take_memory((r->profile.nodes.n + 1) * sizeof *s.symbol_of);
    choose_processes(&s);
    all->n_processes = s.locations.n;
    if (s.locations.n)
        find_loops(&s, all);
    free(s.symbol_of);
    free(s.known.slots);
    free(s.locations.at);
    return all;
}
