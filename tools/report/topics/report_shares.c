/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/topics/report_shares.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/quantity.h"
#include "tools/report/topics/report.h"

/* The time of a region at a node, to be shared out among the claims. */
struct room {
    uint64_t claimed;
    uint64_t samples;
    uint64_t told;  /* sum of the claims handled so far */
    uint64_t given; /* time given for the handled claims */
    uint64_t all;
};

double shares_error(uint64_t ticks, uint64_t n)
{
    return n ? 1.96 * (double)ticks / sqrt((double)n) : 0.0;
}

static uint64_t claim_of(const struct report *r, const struct node *node)
{
    return r->profile.streams[node->location].samples ? node->sampled : node->between;
}

/* A region entered and left by records, or a region of spur's own. */
static bool is_exact(const struct node *node)
{
    return node->calls || node->region < REGIONS_OWN;
}

/*
 * The time granted for a claim. All claims together get at most the whole time; if the claims
 * exceed the whole time, the claims get the whole time in proportion.
 */
static uint64_t give(struct room *room, uint64_t claim)
{
    uint64_t before = room->given;
    room->told += claim;
    room->given = room->claimed <= room->all ? room->told
                                             : quantity_share(room->all, room->told, room->claimed);
    return room->given - before;
}

/* Adds a child with time of its own to a node. */
static void add_own(struct profile *p, uint32_t parent, uint32_t region, uint64_t ticks)
{
    uint32_t child = profile_child(p, parent, region);
    p->nodes.at[child].calls = 1;
    p->nodes.at[child].self = ticks;
}

/*
 * A thread is blocked for at most the time without use of the CPU, by the number of the thread's
 * samples.
 */
static uint64_t not_at_work(const struct stream *s)
{
    uint64_t all = s->last - s->first - s->off;
    uint64_t worked = s->samples < all / (s->period + 1) ? s->samples * s->period : all;
    return all - worked;
}

/*
 * Handles the rest of a region's time after all inner calls have their share: the thread was
 * blocked, for at most *most, which is reduced by the rest.
 */
static void keep_rest(struct report *r, uint32_t index, const struct room *room, uint64_t *most)
{
    struct profile *p = &r->profile;
    struct node *node = &p->nodes.at[index];
    const struct stream *s = &p->streams[node->location];
    uint64_t rest = room->all - room->given;
    double chance = 2.0 * sqrt((double)room->samples + 1.0) * (double)s->period;
    rest = rest < *most ? rest : *most;
    if (s->samples && (double)rest > chance) {
        *most -= rest;
        node->self -= rest;
        add_own(p, index, REGION_BLOCKED, rest);
    }
}

static bool has_room(const struct report *r, const struct node *node)
{
    return is_exact(node) && !r->defs.regions.at[node->region].is_call &&
           (node->region == REGION_PROGRAM || node->region >= REGIONS_OWN);
}

static void keep_rests(struct report *r, uint32_t n, const struct room *rooms)
{
    size_t room = 0;
    uint64_t *most = list_grow(NULL, &room, r->defs.locations.n + 1, sizeof *most);
    for (uint32_t i = 0; i < r->defs.locations.n; i++)
        most[i] = not_at_work(&r->profile.streams[i]);
    for (uint32_t i = 0; i < n; i++)
        if (has_room(r, &r->profile.nodes.at[i]))
            keep_rest(r, i, &rooms[i], &most[r->profile.nodes.at[i].location]);
    free(most);
}

/* Calls that were only counted took their time from the caller: the caller's own time shrinks. */
static void take_short(struct profile *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &p->nodes.at[i];
        if (node->region != REGION_SHORT)
            continue;
        struct node *caller = &p->nodes.at[node->parent];
        node->self = node->self < caller->self ? node->self : caller->self;
        caller->self -= node->self;
    }
}

/* Unrecorded time becomes a child node, too. */
static void put_off(struct profile *p, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (p->nodes.at[i].off)
            add_own(p, i, REGION_OFF, p->nodes.at[i].off);
}

void shares_make(struct report *r)
{
    struct profile *p = &r->profile;
    uint32_t n = (uint32_t)p->nodes.n;
    size_t n_rooms = 0;
    struct room *rooms = list_grow(NULL, &n_rooms, n + 1, sizeof *rooms);
    n_rooms = 0;
    take_short(p, n);
    uint32_t *room_of = list_grow(NULL, &n_rooms, n + 1, sizeof *room_of);
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &p->nodes.at[i];
        room_of[i] = is_exact(node) ? i : room_of[node->parent];
        struct room *room = &rooms[room_of[i]];
        room->claimed += claim_of(r, node);
        room->samples += node->samples;
        if (room_of[i] == i)
            room->all = node->self;
    }
    for (uint32_t i = 0; i < n; i++) {
        struct node *node = &p->nodes.at[i];
        uint64_t given =
            has_room(r, &p->nodes.at[room_of[i]]) ? give(&rooms[room_of[i]], claim_of(r, node)) : 0;
        if (room_of[i] == i)
            continue; /* the remaining time is the region's own */
        node->self = given;
        p->nodes.at[room_of[i]].self -= given;
    }
    keep_rests(r, n, rooms);
    put_off(p, n);
    free(rooms);
    free(room_of);
}
