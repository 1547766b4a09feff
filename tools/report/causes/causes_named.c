/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The call path by which a cause takes too long. All ranks may call the costly function. The
 * additional time of a slow rank often belongs to a path that the remaining ranks do not take, or
 * take for less time.
 */
#include <stdlib.h>

#include "tools/report/causes/causes.h"
#include "tools/report/causes/causes_activities.h"
#include "tools/report/topics/report.h"

enum { NAMES_MOST = 4 }; /* regions of a path in its name */

/* Regions from the program on. Paths of two processes are equal if the regions are equal. */
struct way {
    uint32_t caller; /* the path without the last region; NIL: no caller */
    uint32_t region;
    uint32_t depth;
};

/* The time of a process on a path, in an activity. */
struct stretch {
    uint32_t process;
    uint32_t activity;
    uint32_t way;
    uint64_t ticks;
};

struct naming {
    const struct report *r;
    struct causes *c;
    LIST(struct way) ways;
    struct map index_of;    /* (caller, region) to ways */
    uint32_t *way_of;       /* by node */
    bool *is_wanted;        /* by region: a cause reached by several ways */
    struct map activity_of; /* (region, call and site) of causes */
    uint32_t n_activities;
    LIST(struct stretch) stretches;
    struct map stretch_of; /* (process and activity, way) */
};

/* ---- all paths ---- */

static void find_ways(struct naming *n)
{
    const struct report *r = n->r;
    n->way_of = take_memory((r->profile.nodes.n + 1) * sizeof *n->way_of);
    for (size_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        uint32_t caller = node->parent == NIL ? NIL : n->way_of[node->parent];
        uint32_t index = map_index(&n->index_of, caller, node->region, n->ways.n);
        if (index == n->ways.n)
            *LIST_ADD(&n->ways) = (struct way){caller, node->region,
                                               caller == NIL ? 0 : n->ways.at[caller].depth + 1};
        n->way_of[i] = index;
    }
}

/*
 * A region of the program on which other processes waited. A call of MPI is already known by the
 * call's site.
 */
static bool may_have_ways(const struct naming *n, const struct cause *cause)
{
    return cause->region != NIL && cause->region >= REGIONS_OWN &&
           !n->r->defs.regions.at[cause->region].is_call;
}

static bool is_any(const struct naming *n)
{
    for (size_t i = 0; i < n->c->all.n; i++)
        if (may_have_ways(n, &n->c->all.at[i]))
            return true;
    return false;
}

static void find_wanted(struct naming *n)
{
    uint32_t *n_ways = take_memory((n->r->defs.regions.n + 1) * sizeof *n_ways);
    n->is_wanted = take_memory((n->r->defs.regions.n + 1) * sizeof *n->is_wanted);
    for (size_t i = 0; i < n->ways.n; i++)
        n_ways[n->ways.at[i].region]++;
    for (size_t i = 0; i < n->c->all.n; i++) {
        const struct cause *cause = &n->c->all.at[i];
        if (!may_have_ways(n, cause) || n_ways[cause->region] < 2)
            continue;
        n->is_wanted[cause->region] = true;
        uint32_t index = map_index(&n->activity_of, cause->region,
                                   activity_place(cause->call, cause->site), n->n_activities);
        n->n_activities += index == n->n_activities;
    }
    free(n_ways);
}

/* ---- time of each process on the paths ---- */

static void add(struct naming *n, uint32_t process, uint32_t node, uint32_t call, uint32_t ticks)
{
    struct activity at = activities_at(n->r, node, call);
    uint32_t activity = map_find(&n->activity_of, at.region, activity_place(at.call, at.site));
    if (activity == NIL)
        return;
    uint32_t index = map_index(&n->stretch_of, (uint64_t)process << 32 | activity, n->way_of[node],
                               n->stretches.n);
    if (index == n->stretches.n)
        *LIST_ADD(&n->stretches) = (struct stretch){process, activity, n->way_of[node], 0};
    n->stretches.at[index].ticks += ticks;
}

static void add_track(struct naming *n, const struct stream *s)
{
    const struct track *track = &s->kept;
    uint32_t behind = NIL;
    for (size_t i = 0; i < track->calls.n; i++) {
        const struct track_call *call = &track->calls.at[i];
        size_t end = i + 1 < track->calls.n ? call[1].first : track->laps.n;
        behind = tracks_call(n->r, stream_kept_node(s, call->node), behind);
        for (size_t k = call->first; k < end; k++) {
            uint32_t node = stream_kept_node(s, track->laps.at[k].node);
            if (n->is_wanted[n->r->profile.nodes.at[node].region])
                add(n, s->process, node, behind, track->laps.at[k].ticks);
        }
    }
}

/* ---- names ---- */

/*
 * The number of regions common to two paths to the same region, from this region on towards the
 * program.
 */
static uint32_t common_to(const struct naming *n, uint32_t a, uint32_t b)
{
    uint32_t common = 0;
    while (a != NIL && b != NIL && n->ways.at[a].region == n->ways.at[b].region) {
        a = n->ways.at[a].caller;
        b = n->ways.at[b].caller;
        common++;
    }
    return common;
}

/* The number of regions at the end of the path needed to tell the path from all other paths. */
static uint32_t length_of(const struct naming *n, uint32_t way)
{
    uint32_t length = 1;
    for (uint32_t i = 0; i < n->ways.n; i++) {
        uint32_t common =
            i == way || n->ways.at[i].region != n->ways.at[way].region ? 0 : common_to(n, i, way);
        length = common >= length ? common + 1 : length;
    }
    uint32_t most = n->ways.at[way].depth; /* all paths contain the program itself */
    return length < most ? length : most;
}

static void name(struct naming *n, struct cause *cause, uint32_t way)
{
    uint32_t length = length_of(n, way);
    const char *text = "";
    for (uint32_t i = 0; i < length; i++, way = n->ways.at[way].caller) {
        bool is_cut = length > NAMES_MOST && i && i + 1 < length;
        cause->head = n->ways.at[way].region;
        if (is_cut && i > 1)
            continue;
        const char *one = is_cut ? "..." : defs_region_name(&n->r->defs, cause->head);
        text = i ? make_text("%s > %s", one, text) : one;
    }
    cause->path = text;
}

/* ---- the path of each cause ---- */

struct excess {
    uint32_t way; /* NIL: not found yet */
    double ticks; /* above the average of the remaining processes */
};

/* The ticks of all processes by (activity, way), indexed by `index_of`. */
static uint64_t *sums_of_all(const struct naming *n, struct map *index_of)
{
    uint64_t *all = take_memory((n->stretches.n + 1) * sizeof *all);
    uint32_t n_all = 0;
    for (size_t i = 0; i < n->stretches.n; i++) {
        const struct stretch *one = &n->stretches.at[i];
        uint32_t index = map_index(index_of, one->activity, one->way, n_all);
        n_all += index == n_all;
        all[index] += one->ticks;
    }
    return all;
}

/* The cause of each (process, activity). */
static struct map causes_by_activity(const struct naming *n)
{
    struct map cause_of = {0};
    for (uint32_t i = 0; i < n->c->all.n; i++) {
        const struct cause *cause = &n->c->all.at[i];
        uint32_t activity =
            map_find(&n->activity_of, cause->region, activity_place(cause->call, cause->site));
        if (activity != NIL)
            map_set(&cause_of, cause->process, activity, i);
    }
    return cause_of;
}

/* The time of a process on a way above the average of the remaining processes. */
static double excess_of(const struct causes *c, uint64_t own, uint64_t of_all)
{
    size_t others = c->n_processes > 1 ? c->n_processes - 1 : 1;
    return (double)own - (double)(of_all - own) / (double)others;
}

static void find_most(struct naming *n)
{
    const struct causes *c = n->c;
    struct map all_of = {0}, cause_of = causes_by_activity(n);
    uint64_t *all = sums_of_all(n, &all_of);
    struct excess *most = take_memory((c->all.n + 1) * sizeof *most);
    for (size_t i = 0; i < c->all.n; i++)
        most[i].way = NIL;
    for (size_t i = 0; i < n->stretches.n; i++) {
        const struct stretch *own = &n->stretches.at[i];
        uint32_t cause = map_find(&cause_of, own->process, own->activity);
        if (cause == NIL)
            continue;
        double ticks = excess_of(c, own->ticks, all[map_find(&all_of, own->activity, own->way)]);
        if (most[cause].way == NIL || ticks > most[cause].ticks)
            most[cause] = (struct excess){own->way, ticks};
    }
    for (size_t i = 0; i < c->all.n; i++)
        if (most[i].way != NIL)
            name(n, &c->all.at[i], most[i].way);
    free(all_of.slots);
    free(cause_of.slots);
    free(all);
    free(most);
}

void causes_name(struct causes *c, const struct report *r)
{
    struct naming n = {.r = r, .c = c};
    if (!is_any(&n))
        return;
    find_ways(&n);
    find_wanted(&n);
    for (size_t i = 0; i < r->defs.locations.n && n.n_activities; i++)
        add_track(&n, &r->profile.streams[i]);
    if (n.stretches.n)
        find_most(&n);
    free(n.ways.at);
    free(n.index_of.slots);
    free(n.way_of);
    free(n.is_wanted);
    free(n.activity_of.slots);
    free(n.stretches.at);
    free(n.stretch_of.slots);
}
