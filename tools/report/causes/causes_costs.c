/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a wait is due to. The chain of its end goes back on the line that has ended it, the chain of
 * its begin on the line that waits, until both meet. Both last from where they meet, so what the
 * first one has more of than the second is exactly as long as the wait.
 */
#include <stdlib.h>

#include "tools/report/causes/causes_replay.h"

/* Where the chains have twice as many calls of MPI, so many are looked back. */
enum { CALLS_MAX = 2000 };

/* How much more a chain has of something than the other one. */
struct more {
    int64_t ticks;
    uint64_t late; /* of an activity: of the late chain alone; of a region: its activities' `ticks`
                      that are more than 0 */
    bool is_seen;
};

/* Of one wait. */
struct excess {
    pieces late, early; /* chains */
    portions spent;     /* of the late one; then of the early one */
    size_t n_late;
    LIST(struct more) activities;
    LIST(struct more) regions;
    LIST(uint32_t) seen_activities;
    LIST(uint32_t) seen_regions;
};

static void make_room(struct replay *p, struct excess *e)
{
    while (e->activities.n < p->activities.n)
        (void)LIST_ADD(&e->activities);
    while (e->regions.n < p->r->defs.regions.n + 1)
        (void)LIST_ADD(&e->regions);
}

/* The time before the first event is a region behind all others. */
static uint32_t region_of(const struct replay *p, uint32_t activity)
{
    uint32_t region = p->activities.at[activity].region;
    return region == NIL ? (uint32_t)p->r->defs.regions.n : region;
}

static void add(struct replay *p, struct excess *e, const struct portion *portion, bool is_late)
{
    int64_t ticks = is_late ? (int64_t)portion->ticks : -(int64_t)portion->ticks;
    uint32_t region = region_of(p, portion->activity);
    struct more *of_activity = &e->activities.at[portion->activity];
    struct more *of_region = &e->regions.at[region];
    if (!of_activity->is_seen)
        *LIST_ADD(&e->seen_activities) = portion->activity;
    if (!of_region->is_seen)
        *LIST_ADD(&e->seen_regions) = region;
    of_activity->is_seen = true;
    of_activity->ticks += ticks;
    of_activity->late += is_late ? portion->ticks : 0;
    of_region->is_seen = true;
    of_region->ticks += ticks;
}

/* Follows the chains back to `least`. Returns the number of calls of MPI in them. */
static size_t follow(struct replay *p, struct excess *e, const struct track_wait *wait,
                     uint64_t least)
{
    size_t calls = 0;
    e->late.n = 0;
    e->early.n = 0;
    e->spent.n = 0;
    replay_meet(p, replay_spot(p, wait->location, wait->begin),
                (struct spot){wait->end, wait->other, wait->why}, least, &e->early, &e->late);
    for (size_t i = 0; i < e->late.n; i++)
        calls += replay_portions(p, &e->late.at[i], &e->spent);
    e->n_late = e->spent.n;
    for (size_t i = 0; i < e->early.n; i++)
        calls += replay_portions(p, &e->early.at[i], &e->spent);
    return calls;
}

static void compare(struct replay *p, struct excess *e)
{
    make_room(p, e);
    for (size_t i = 0; i < e->spent.n; i++)
        add(p, e, &e->spent.at[i], i < e->n_late);
    for (size_t i = 0; i < e->seen_activities.n; i++) {
        uint32_t activity = e->seen_activities.at[i];
        int64_t more = e->activities.at[activity].ticks;
        e->regions.at[region_of(p, activity)].late += more > 0 ? (uint64_t)more : 0;
    }
}

static void forget(struct excess *e)
{
    for (size_t i = 0; i < e->seen_activities.n; i++)
        e->activities.at[e->seen_activities.at[i]] = (struct more){0};
    for (size_t i = 0; i < e->seen_regions.n; i++)
        e->regions.at[e->seen_regions.at[i]] = (struct more){0};
    e->seen_activities.n = 0;
    e->seen_regions.n = 0;
}

static void suffers(struct replay *p, uint32_t cost, uint32_t node, double ticks)
{
    struct due *due = &p->costs.at[cost];
    if (due->waiter != node + 1) {
        uint32_t index = map_find(&p->suffered_of, cost, node);
        if (index == NIL) {
            index = (uint32_t)p->suffered.n;
            *LIST_ADD(&p->suffered) = (struct suffered){cost, node, 0.0};
            map_set(&p->suffered_of, cost, node, index);
        }
        due->waiter = node + 1;
        due->suffered = index;
    }
    p->suffered.at[due->suffered].ticks += ticks;
}

static void charge(struct replay *p, struct excess *e, const struct track_wait *wait)
{
    double all = 0.0;
    for (size_t i = 0; i < e->seen_regions.n; i++) {
        int64_t more = e->regions.at[e->seen_regions.at[i]].ticks;
        all += more > 0 ? (double)more : 0.0;
    }
    for (size_t i = 0; i < e->n_late; i++) {
        const struct portion *portion = &e->spent.at[i];
        const struct more *activity = &e->activities.at[portion->activity];
        const struct more *region = &e->regions.at[region_of(p, portion->activity)];
        if (region->ticks <= 0 || activity->ticks <= 0)
            continue;
        double part = (double)(wait->end - wait->begin) * ((double)region->ticks / all) *
                      ((double)activity->ticks / (double)region->late) *
                      ((double)portion->ticks / (double)activity->late);
        uint32_t cost = replay_cost(p, p->lines[portion->line].process, portion->activity);
        struct due *to = &p->costs.at[cost];
        *(portion->line == wait->other ? &to->direct : &to->indirect) += part;
        suffers(p, cost, wait->node, part);
    }
}

static uint64_t least_time(const struct replay *p, const struct track_wait *wait)
{
    uint64_t least = p->first;
    uint64_t own = line_calls_before(&p->lines[wait->location], wait->begin, CALLS_MAX);
    uint64_t other = line_calls_before(&p->lines[wait->other], wait->end, CALLS_MAX);
    least = own > least ? own : least;
    least = other > least ? other : least;
    return least < wait->begin ? least : wait->begin;
}

static void judge(struct replay *p, struct excess *e, const struct track_wait *wait)
{
    if (follow(p, e, wait, p->first) > (size_t)2 * CALLS_MAX)
        (void)follow(p, e, wait, least_time(p, wait));
    compare(p, e);
    charge(p, e, wait);
    forget(e);
}

void costs_make_of_waits(struct replay *p)
{
    struct excess e = {0};
    for (uint32_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->lines[i].n_waits && p->r->is_selected[i]; k++)
            judge(p, &e, &p->lines[i].waits[k]);
    free(e.late.at);
    free(e.early.at);
    free(e.spent.at);
    free(e.activities.at);
    free(e.regions.at);
    free(e.seen_activities.at);
    free(e.seen_regions.at);
}
