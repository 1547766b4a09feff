/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The causes of a wait. The chain of the wait's end goes back on the line that has ended the wait,
 * the chain of the wait's begin on the waiting line, until both chains meet. Both chains last from
 * the meeting point, so the surplus of the first chain over the second chain is exactly as long as
 * the wait.
 */
#include <stdlib.h>

#include "tools/report/causes/causes_replay.h"

enum {
    CALLS_MAX =
        2000,    /* calls of MPI to look back on a line, if the chains have twice as many in all */
    NEAR = 1024, /* blames at hand */
    PART_BYTES = 4 << 20, /* of lines handled together */
};

/* The surplus of the late chain over the early chain, of an activity or a region. */
struct more {
    int64_t ticks;
    uint64_t late; /* of an activity: of the late chain alone; of a region: its activities' `ticks`
                      above 0 */
    double share;  /* of an activity: cost of a tick on the late chain */
    bool is_seen;
};

struct charging {
    const struct lines *lines;
    struct report *r;
    uint32_t *region_of; /* by activity; the time before the first event comes last */

    /* Of a single wait. */
    pieces late, early; /* chains */
    portions spent;     /* of the late chain (`n_late` portions), and then of the early chain */
    size_t n_late;
    LIST(size_t) ends; /* by piece of the late chain: end of the piece's portions */
    struct more *activities;
    struct more *regions;
    LIST(uint32_t) seen_activities;
    LIST(uint32_t) seen_regions;

    struct map blame_of; /* (process and activity, node) */
    struct near {
        uint32_t process;
        uint32_t activity;
        uint32_t node;
        uint32_t blame; /* plus 1 */
    } near[NEAR];
};

/* ---- two chains ---- */

/* Follows both chains back to `least`. Returns the number of calls of MPI on the chains. */
static size_t follow(struct charging *c, uint32_t line, uint32_t index, uint64_t least)
{
    const struct release *wait = &c->lines->at[line].waits[index];
    size_t calls = 0;
    c->late.n = 0;
    c->early.n = 0;
    c->spent.n = 0;
    c->ends.n = 0;
    replay_meet(c->lines, (struct spot){wait->begin, line, index},
                (struct spot){wait->end, wait->other, wait->n_before}, least, &c->early, &c->late);
    for (size_t i = 0; i < c->late.n; i++) {
        calls += replay_portions(c->lines, &c->late.at[i], &c->spent);
        *LIST_ADD(&c->ends) = c->spent.n;
    }
    c->n_late = c->spent.n;
    for (size_t i = 0; i < c->early.n; i++)
        calls += replay_portions(c->lines, &c->early.at[i], &c->spent);
    return calls;
}

/* When the line's n-th call of MPI before a time begins; 0: there are fewer. */
static uint64_t calls_before(const struct line *line, size_t near, uint64_t time, size_t n)
{
    size_t call = line_call(line, near, time);
    return call > n ? line->calls[call - n].begin : 0;
}

static uint64_t least_time(const struct lines *lines, const struct line *line,
                           const struct release *wait)
{
    const struct line *other = &lines->at[wait->other];
    uint64_t own_least = calls_before(line, wait->call, wait->begin, CALLS_MAX);
    uint64_t other_least = calls_before(other, other->n_calls / 2, wait->end, CALLS_MAX);
    uint64_t least = lines->first;
    least = own_least > least ? own_least : least;
    least = other_least > least ? other_least : least;
    return least < wait->begin ? least : wait->begin;
}

/* ---- compared ---- */

static inline struct more *see(struct charging *c, uint32_t activity)
{
    struct more *more = &c->activities[activity];
    if (__builtin_expect(!more->is_seen, 0)) {
        more->is_seen = true;
        *LIST_ADD(&c->seen_activities) = activity;
    }
    return more;
}

static void compare(struct charging *c)
{
    for (size_t i = 0; i < c->n_late; i++) {
        struct more *more = see(c, c->spent.at[i].activity);
        more->late += c->spent.at[i].ticks;
    }
    for (size_t i = c->n_late; i < c->spent.n; i++) {
        struct more *more = see(c, c->spent.at[i].activity);
        more->ticks -= (int64_t)c->spent.at[i].ticks;
    }
    for (size_t i = 0; i < c->seen_activities.n; i++) {
        uint32_t activity = c->seen_activities.at[i];
        uint32_t region = c->region_of[activity];
        int64_t ticks = c->activities[activity].ticks += (int64_t)c->activities[activity].late;
        struct more *more = &c->regions[region];
        if (!more->is_seen)
            *LIST_ADD(&c->seen_regions) = region;
        more->is_seen = true;
        more->ticks += ticks;
        more->late += ticks > 0 ? (uint64_t)ticks : 0;
    }
}

/* By regions, by activities of a region, by portions of an activity. */
static void share(struct charging *c, uint64_t waited)
{
    double all = 0.0;
    for (size_t i = 0; i < c->seen_regions.n; i++) {
        int64_t ticks = c->regions[c->seen_regions.at[i]].ticks;
        all += ticks > 0 ? (double)ticks : 0.0;
    }
    for (size_t i = 0; i < c->seen_activities.n; i++) {
        struct more *activity = &c->activities[c->seen_activities.at[i]];
        const struct more *region = &c->regions[c->region_of[c->seen_activities.at[i]]];
        if (region->ticks > 0 && activity->ticks > 0)
            activity->share = (double)waited * ((double)region->ticks / all) *
                              ((double)activity->ticks / (double)region->late) /
                              (double)activity->late;
    }
}

static void forget(struct charging *c)
{
    for (size_t i = 0; i < c->seen_activities.n; i++)
        c->activities[c->seen_activities.at[i]] = (struct more){0};
    for (size_t i = 0; i < c->seen_regions.n; i++)
        c->regions[c->seen_regions.at[i]] = (struct more){0};
    c->seen_activities.n = 0;
    c->seen_regions.n = 0;
}

/* ---- charged ---- */

static uint32_t new_blame(struct charging *c, uint32_t line, const struct near *key)
{
    *LIST_ADD(&c->r->tracks.blames) =
        (struct blame){.location = line,
                       .node = key->node,
                       .process = key->process,
                       .activity = c->lines->activities.all.at[key->activity]};
    return (uint32_t)c->r->tracks.blames.n - 1;
}

static struct blame *blame_of(struct charging *c, uint32_t line, uint32_t process,
                              uint32_t activity, uint32_t node)
{
    struct near key = {process, activity, node, 0};
    struct near *near = &c->near[(activity + 61 * process + 7 * node) % NEAR];
    if (!near->blame || near->process != process || near->activity != activity ||
        near->node != node) {
        uint64_t first = (uint64_t)process << 32 | activity;
        uint32_t index = map_find(&c->blame_of, first, node);
        if (index == NIL) {
            index = new_blame(c, line, &key);
            map_set(&c->blame_of, first, node, index);
        }
        key.blame = index + 1;
        *near = key;
    }
    return &c->r->tracks.blames.at[near->blame - 1];
}

static void charge(struct charging *c, uint32_t line, const struct release *wait)
{
    size_t k = 0;
    for (size_t i = 0; i < c->late.n; i++) {
        uint32_t late = c->late.at[i].line;
        uint32_t process = c->lines->at[late].process;
        for (; k < c->ends.at[i]; k++) {
            const struct portion *portion = &c->spent.at[k];
            double part = c->activities[portion->activity].share * (double)portion->ticks;
            if (part <= 0.0)
                continue;
            struct blame *blame = blame_of(c, line, process, portion->activity, wait->node);
            *(late == wait->other ? &blame->direct : &blame->indirect) += part;
        }
    }
}

static void judge(struct charging *c, uint32_t line, uint32_t index)
{
    const struct line *l = &c->lines->at[line];
    const struct release *wait = &l->waits[index];
    if (follow(c, line, index, c->lines->first) > (size_t)2 * CALLS_MAX)
        (void)follow(c, line, index, least_time(c->lines, l, wait));
    compare(c);
    share(c, wait->end - wait->begin);
    charge(c, line, wait);
    forget(c);
}

/* ---- all waits ---- */

static void make_room(struct charging *c)
{
    const struct activities *all = &c->lines->activities;
    size_t n_regions = c->r->defs.regions.n;
    c->region_of = take_memory(all->all.n * sizeof *c->region_of);
    c->activities = take_memory(all->all.n * sizeof *c->activities);
    c->regions = take_memory((n_regions + 1) * sizeof *c->regions);
    for (size_t i = 0; i < all->all.n; i++) {
        uint32_t region = all->all.at[i].region;
        c->region_of[i] = region == NIL ? (uint32_t)n_regions : region;
    }
}

/* Judges the waits of a line up to a time, from the wait `next` on. Returns the next wait. */
static uint32_t judge_line(struct charging *c, uint32_t line, uint32_t next, uint64_t until)
{
    const struct line *l = &c->lines->at[line];
    for (; next < l->n_waits && l->waits[next].end <= until; next++)
        judge(c, line, next);
    return next;
}

/*
 * Lines wait for each other at about the same time. So all lines are handled together, a part of
 * the run after the previous part: the processor's caches keep the data just read.
 */
static void judge_all(struct charging *c)
{
    const struct lines *lines = c->lines;
    uint64_t parts = lines->bytes / PART_BYTES + 1;
    uint64_t each = (lines->last - lines->first) / parts;
    uint32_t *next = take_memory((lines->n + 1) * sizeof *next); /* by line: the wait */
    for (uint64_t part = 0; part < parts; part++) {
        uint64_t until = part + 1 < parts ? lines->first + (part + 1) * each : UINT64_MAX;
        for (uint32_t i = 0; i < lines->n; i++)
            if (line_is_own(lines, i) && c->r->is_selected[i])
                next[i] = judge_line(c, i, next[i], until);
    }
    free(next);
}

/* Puts the blames of a location together, in the order of finding. */
static void order_blames(struct report *r)
{
    struct tracks *t = &r->tracks;
    size_t n = r->defs.locations.n;
    struct blame *ordered = take_memory((t->blames.n + 1) * sizeof *ordered);
    size_t *next = take_memory((n + 2) * sizeof *next); /* by location: place of the next blame */
    for (size_t i = 0; i < t->blames.n; i++)
        next[t->blames.at[i].location + 1]++;
    for (size_t i = 0; i < n; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < t->blames.n; i++)
        ordered[next[t->blames.at[i].location]++] = t->blames.at[i];
    free(next);
    free(t->blames.at);
    t->blames.at = ordered;
    t->blames.room = t->blames.n;
}

void replay_costs(const struct lines *lines, struct report *r)
{
    struct charging *c = take_memory(sizeof *c);
    c->lines = lines;
    c->r = r;
    make_room(c);
    judge_all(c);
    order_blames(r);
    free(c->blame_of.slots);
    free(c->region_of);
    free(c->late.at);
    free(c->early.at);
    free(c->spent.at);
    free(c->ends.at);
    free(c->activities);
    free(c->regions);
    free(c->seen_activities.at);
    free(c->seen_regions.at);
    free(c);
}
