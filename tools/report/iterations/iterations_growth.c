/* SPDX-License-Identifier: BSD-3-Clause */
/* The regions that take longer in a part of the iterations than in the rest. */
#include <stdlib.h>

#include "tools/report/iterations/iterations_parts.h"

static const double least_own = 0.5;        /* of the growth: due to a process's own work */
static const double least_everywhere = 0.8; /* of the growth of the process with the most */

/* Time of a process in a region, behind a call; ticks of the iterations before and after. */
struct growing {
    uint32_t process;
    uint32_t region;
    uint32_t call;
    uint32_t site;
    bool is_mpi;
    uint64_t ticks[MARK_AFTER];
};

struct search {
    struct script *s;
    const struct loop *loop;
    const uint8_t *marks;
    uint32_t symbol;
    LIST(struct growing) parts;
    struct map part_of; /* (process and region, call and site) */
    double n[MARK_AFTER];
};

/* ---- the time of parts ---- */

static struct growing part_at(const struct report *r, uint32_t index, uint32_t call)
{
    const struct node *node = &r->profile.nodes.at[index];
    const struct region *region = &r->defs.regions.at[node->region];
    struct growing part = {.process = r->profile.streams[node->location].process,
                           .region = node->region,
                           .call = NIL,
                           .site = node->site,
                           .is_mpi = region->paradigm == OTF2_PARADIGM_MPI};
    if (call != NIL && call != index && part.site == NIL && !part.is_mpi) {
        part.call = r->profile.nodes.at[call].region;
        part.site = r->profile.nodes.at[call].site;
    }
    return part;
}

/* Adds a lap to the part behind a call of MPI. `call`: the node of the last communicating call. */
static void add(struct search *q, uint32_t location, const struct lap *lap, uint32_t call,
                unsigned mark)
{
    struct growing part = part_at(q->s->r, script_node(q->s, location, lap->node), call);
    uint64_t a = (uint64_t)part.process << 32 | part.region;
    uint64_t b = (uint64_t)part.call << 32 | part.site;
    uint32_t index = map_index(&q->part_of, a, b, q->parts.n);
    bool is_new = index == q->parts.n;
    struct growing *to = is_new ? LIST_ADD(&q->parts) : &q->parts.at[index];
    if (is_new)
        *to = part;
    to->ticks[mark - MARK_BEFORE] += lap->ticks;
}

/* The walk of a process through the iterations. */
struct walk {
    size_t at;     /* iteration */
    uint64_t time; /* of the lap */
    uint64_t end;  /* of the iteration; UINT64_MAX: not reached yet */
    uint32_t call; /* node of the last communicating call; NIL: no call yet */
    size_t number; /* of calls of the symbol */
};

static void walk_laps(struct search *q, uint32_t location, size_t index, struct walk *w)
{
    const struct track *track = script_track(q->s, location);
    const struct track_call *call = &track->calls.at[index];
    size_t end = index + 1 < track->calls.n ? call[1].first : track->laps.n;
    w->time = call->begin;
    for (size_t i = call->first; i < end; i++) {
        if (w->time >= w->end) {
            w->at++;
            w->end = UINT64_MAX;
        }
        if (w->at < q->loop->n && w->time >= q->loop->begin && q->marks[w->at])
            add(q, location, &track->laps.at[i], w->call, q->marks[w->at]);
        w->time += track->laps.at[i].ticks;
    }
}

static void walk(struct search *q, uint32_t location)
{
    const struct track *track = script_track(q->s, location);
    struct walk w = {.end = UINT64_MAX, .call = NIL};
    for (size_t i = 0; i < track->calls.n && w.at < q->loop->n; i++) {
        const struct track_call *call = &track->calls.at[i];
        uint32_t node = script_node(q->s, location, call->node);
        if (call->is_call && script_symbol(q->s, node) == q->symbol &&
            loop_ends_with(q->loop, w.number++)) {
            w.at += w.end != UINT64_MAX; /* no time lies between the two */
            w.end = script_call_end(q->s, location, i);
        }
        w.call = tracks_call(q->s->r, node, w.call);
        walk_laps(q, location, i, &w);
    }
}

/* ---- the largest growth ---- */

static double growth_of(const struct search *q, const struct growing *part)
{
    return (double)part->ticks[1] / q->n[1] - (double)part->ticks[0] / q->n[0];
}

static double iteration_growth(const struct search *q)
{
    double sums[MARK_AFTER] = {0.0, 0.0};
    for (size_t i = 0; i < q->loop->n; i++)
        if (q->marks[i])
            sums[q->marks[i] - MARK_BEFORE] += (double)loop_ticks(q->loop, i);
    return sums[1] / q->n[1] - sums[0] / q->n[0];
}

/* The process whose own work grows; NIL: the growth of own work explains too little. */
static uint32_t growing_process(const struct search *q, bool *is_everywhere)
{
    size_t n = q->s->r->defs.processes.n;
    double *own = take_memory(n * sizeof *own);
    uint32_t most = q->s->r->profile.streams[q->s->locations.at[0]].process;
    for (size_t i = 0; i < q->parts.n; i++)
        if (!q->parts.at[i].is_mpi)
            own[q->parts.at[i].process] += growth_of(q, &q->parts.at[i]);
    for (uint32_t i = 0; i < n; i++)
        most = own[i] > own[most] ? i : most;
    bool is_own = own[most] >= least_own * iteration_growth(q);
    *is_everywhere = is_own && q->s->locations.n > 1;
    for (size_t i = 0; i < q->s->locations.n; i++) {
        uint32_t process = q->s->r->profile.streams[q->s->locations.at[i]].process;
        *is_everywhere &= own[process] >= least_everywhere * own[most];
    }
    free(own);
    return is_own ? most : NIL;
}

static struct growth most_of(const struct search *q)
{
    struct growth most = {.process = NIL};
    bool is_everywhere;
    uint32_t process = growing_process(q, &is_everywhere);
    for (size_t i = 0; i < q->parts.n; i++) {
        const struct growing *part = &q->parts.at[i];
        bool is_asked = process == NIL ? part->is_mpi : part->process == process && !part->is_mpi;
        double ticks = growth_of(q, part);
        if (is_asked && ticks > most.ticks)
            most = (struct growth){part->process, part->region, part->call,
                                   part->site,    ticks,        is_everywhere};
    }
    return most;
}

struct growth growth_find(struct script *s, const struct loop *loop, uint32_t symbol,
                          const uint8_t *marks)
{
    struct search *q = take_memory(sizeof *q);
    q->s = s;
    q->loop = loop;
    q->marks = marks;
    q->symbol = symbol;
    for (size_t i = 0; i < loop->n; i++)
        if (marks[i])
            q->n[marks[i] - MARK_BEFORE]++;
    for (size_t i = 0; i < s->locations.n; i++)
        walk(q, s->locations.at[i]);
    struct growth found = most_of(q);
    free(q->parts.at);
    free(q->part_of.slots);
    free(q);
    return found;
}
