/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/compare/compare_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report/compare/compare_rank.h"

enum { STEP = 1 << 10 }; /* events that are read of a rank before it is the next one's turn */

static void add_rank(struct pass *p, uint32_t location)
{
    const struct stream *s = &p->r->profile.streams[location];
    bool is_framed = mpi_frame_is_whole(&s->mpi);
    uint64_t begin = is_framed ? s->mpi.begin : s->first;
    uint32_t index = (uint32_t)p->ranks.n;
    *LIST_ADD(&p->ranks) = (struct rank){.pass = p,
                                         .index = index,
                                         .location = location,
                                         .process = s->process,
                                         .begin = begin,
                                         .end = is_framed ? s->mpi.end : s->last,
                                         .ideal = begin,
                                         .is_framed = is_framed,
                                         .has_begun = !is_framed};
}

/* MPI_Neighbor_alltoall, MPI_Ineighbor_allgather, ...: who the neighbours are is not known. */
static bool has_neighbours(const struct report *r)
{
    for (uint32_t i = REGIONS_OWN; i < r->sums.regions.n; i++)
        if (r->sums.regions.at[i].calls && r->defs.regions.at[i].paradigm == OTF2_PARADIGM_MPI &&
            strstr(defs_region_name(&r->defs, i), "eighbor_all"))
            return true;
    return false;
}

/* Before an event is read: what the profile knows that makes the ideal time a guess. */
static const char *why_not(const struct report *r, bool has_threads)
{
    const struct messages *m = &r->messages;
    const struct collectives *c = &r->collectives;
    const struct oddities *odd = &r->profile.odd;
    if (r->trouble)
        return "the archive is damaged";
    if (r->gaps.are_there || r->sums.off)
        return "a part of the run was not recorded";
    if (has_threads)
        return "several threads of a rank call MPI";
    if (odd->strays || odd->unclosed || odd->backwards)
        return "events are not in order";
    if (has_neighbours(r))
        return "collective operations of neighbours";
    if (m->matching.reversed)
        return "the clocks of hosts differ";
    if (m->nowhere || m->unknown || m->matching.unsent || c->incomplete || c->unknown)
        return "messages or collective operations are incomplete";
    return NULL;
}

/* The main threads of ranks; whether others call MPI as well. */
static bool find_ranks(struct pass *p)
{
    bool has_threads = false;
    for (uint32_t i = 0; i < p->r->defs.locations.n; i++) {
        if (!p->r->sums.locations.at[i].mpi)
            continue;
        if (p->r->defs.processes.at[p->r->defs.locations.at[i].process].main == i)
            add_rank(p, i);
        else
            has_threads = true;
    }
    return has_threads;
}

static void open_ranks(struct pass *p)
{
    OTF2_EvtReaderCallbacks *callbacks = rank_callbacks();
    struct archive whole = {.path = p->r->path};
    archive_open_part(&p->archive, &whole, &p->r->defs, NULL, 0);
    if (p->archive.trouble)
        fail("%s", p->archive.trouble);
    archive_select(&p->archive);
    for (uint32_t i = 0; i < p->ranks.n; i++) {
        struct rank *k = &p->ranks.at[i];
        const struct location *location = &p->r->defs.locations.at[k->location];
        (void)archive_definitions(&p->archive, location);
        k->events = OTF2_Reader_GetEvtReader(p->archive.reader, location->id);
        if (!k->events ||
            OTF2_Reader_RegisterEvtCallbacks(p->archive.reader, k->events, callbacks, k))
            fail("%s: cannot read the events again", p->r->path);
        *LIST_ADD(&p->ready) = i;
    }
    OTF2_EvtReaderCallbacks_Delete(callbacks);
}

static void read_on(struct pass *p, struct rank *k)
{
    uint64_t n = 0;
    OTF2_ErrorCode code = OTF2_Reader_ReadLocalEvents(p->archive.reader, k->events, STEP, &n);
    bool is_through = code == OTF2_SUCCESS ? n < STEP : code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK;
    if (code != OTF2_SUCCESS && code != OTF2_ERROR_INTERRUPTED_BY_CALLBACK)
        p->why_not = "the archive is damaged";
    if (is_through && !k->has_ended) {
        rank_advance(k, k->end);
        k->counting.is_unknown |= rank_counts(k) && !k->counting.has_just_read;
        k->has_ended = true;
    }
    if (!k->has_ended && !k->is_waiting)
        *LIST_ADD(&p->next) = k->index;
}

static void read_all(struct pass *p)
{
    while (p->ready.n) {
        for (size_t i = 0; i < p->ready.n; i++)
            read_on(p, &p->ranks.at[p->ready.at[i]]);
        p->ready.n = 0;
        for (size_t i = 0; i < p->next.n; i++)
            *LIST_ADD(&p->ready) = p->next.at[i];
        p->next.n = 0;
        /* When there is no ideal time, or nobody can go on, the rest is read for the counters. */
        for (uint32_t i = 0; i < p->ranks.n && (p->why_not || !p->ready.n); i++)
            if (p->ranks.at[i].is_waiting) {
                if (!p->why_not)
                    p->why_not = "the order of messages and operations cannot be followed";
                p->ranks.at[i].is_waiting = false;
                *LIST_ADD(&p->ready) = i;
            }
    }
}

static struct replay result_of(const struct pass *p)
{
    struct replay made = {.why_not = p->why_not};
    for (unsigned i = 0; i < COUNTERS; i++)
        made.counted[i] = p->counters.name[i] && p->ranks.n ? 0.0 : (double)NAN;
    for (size_t i = 0; i < p->ranks.n; i++) {
        const struct rank *k = &p->ranks.at[i];
        made.ideal = fmax(made.ideal, (double)(k->ideal - k->begin));
        if (k->ideal > k->end)
            made.why_not = "the clocks of hosts differ";
        for (unsigned c = 0; c < COUNTERS; c++)
            made.counted[c] += k->counting.is_there[c] && !k->counting.is_unknown
                                   ? k->counting.gained[c]
                                   : (double)NAN;
    }
    return made;
}

struct replay replay_of(struct report *r)
{
    struct pass p = {.r = r, .counters = counters_of(r)};
    bool has_threads = find_ranks(&p);
    /* What threads of teams count while they wait is not known. */
    for (size_t i = 0; i < r->teams.crews.n; i++)
        if (r->teams.crews.at[i].most > 1)
            p.counters = (struct counters){{NULL}};
    p.why_not = p.ranks.n ? why_not(r, has_threads) : "the run has no MPI";
    bool has_counters = p.counters.name[COUNTER_INSTRUCTIONS] || p.counters.name[COUNTER_CYCLES];
    if (p.ranks.n && (!p.why_not || has_counters)) {
        open_ranks(&p);
        read_all(&p);
        archive_close(&p.archive);
    }
    struct replay made = result_of(&p);
    for (size_t i = 0; i < p.ranks.n; i++)
        free(p.ranks.at[i].is_in_mpi.at);
    deps_free(&p.deps);
    free(p.ranks.at);
    free(p.ready.at);
    free(p.next.at);
    return made;
}
