/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes.h"

#include <stdlib.h>

#include "tools/report/causes/causes_replay.h"

/* ---- by process and region ---- */

struct making {
    struct causes *c;
    struct replay *p;
    struct map cause_of; /* (process, region) to all */
    uint32_t *of_cost;   /* the cause */
};

static uint32_t cause_of(struct making *m, uint32_t process, uint32_t region)
{
    struct causes *c = m->c;
    uint32_t index = map_find(&m->cause_of, process, region);
    if (index == NIL) {
        index = (uint32_t)c->all.n;
        *LIST_ADD(&c->all) = (struct cause){.process = process,
                                            .region = region,
                                            .call = NIL,
                                            .site = NIL,
                                            .waiter = NIL,
                                            .most = -1.0};
        map_set(&m->cause_of, process, region, index);
    }
    return index;
}

static void gather_costs(struct making *m)
{
    m->of_cost = take_memory((m->p->costs.n + 1) * sizeof *m->of_cost);
    for (size_t i = 0; i < m->p->costs.n; i++) {
        const struct due *cost = &m->p->costs.at[i];
        const struct activity *activity = &m->p->activities.at[cost->activity];
        uint32_t index = cause_of(m, cost->process, activity->region);
        struct cause *cause = &m->c->all.at[index];
        m->of_cost[i] = index;
        cause->direct += cost->direct;
        cause->indirect += cost->indirect;
        cause->critical += cost->critical;
        if (cost->direct + cost->indirect > cause->most) {
            cause->most = cost->direct + cost->indirect;
            cause->call = activity->call;
            cause->site = activity->site;
        }
    }
}

static void gather_waiters(struct making *m)
{
    struct replay *p = m->p;
    struct map sum_of = {0}; /* (cause, node) */
    double *sums = take_memory((p->suffered.n + 1) * sizeof *sums);
    uint32_t n = 0;
    for (size_t i = 0; i < p->suffered.n; i++) {
        const struct suffered *s = &p->suffered.at[i];
        uint32_t index = m->of_cost[s->cost];
        uint32_t sum = map_find(&sum_of, index, s->node);
        if (sum == NIL) {
            sum = n++;
            map_set(&sum_of, index, s->node, sum);
        }
        sums[sum] += s->ticks;
        struct cause *cause = &m->c->all.at[index];
        if (sums[sum] > cause->waited) {
            cause->waited = sums[sum];
            cause->waiter = s->node;
        }
    }
    free(sum_of.slots);
    free(sums);
}

/* ---- how long the others take there ---- */

static uint64_t own_ticks(const struct report *r, uint32_t index)
{
    uint64_t self = r->profile.nodes.at[index].self;
    uint64_t waits = 0;
    for (enum wait why = 0; why < WAIT_LOCK; why++)
        waits += profile_waited(&r->profile, index, why);
    return waits < self ? self - waits : 0;
}

/* Processes that call MPI are compared with each other. */
static void compare(struct making *m)
{
    const struct report *r = m->p->r;
    size_t room = 0;
    size_t rooms = 0;
    uint64_t *all = list_grow(NULL, &room, r->defs.regions.n + 1, sizeof *all);
    bool *calls_mpi = list_grow(NULL, &rooms, r->defs.processes.n + 1, sizeof *calls_mpi);
    for (size_t i = 0; i < m->p->n; i++)
        calls_mpi[m->p->lines[i].process] |= m->p->lines[i].track->calls.n > 1;
    for (size_t i = 0; i < r->defs.processes.n; i++)
        m->c->n_processes += calls_mpi[i];
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        uint32_t process = r->profile.streams[node->location].process;
        uint32_t cause = map_find(&m->cause_of, process, node->region);
        uint64_t own = own_ticks(r, i);
        if (calls_mpi[process])
            all[node->region] += own;
        if (cause != NIL)
            m->c->all.at[cause].own += own;
    }
    for (size_t i = 0; i < m->c->all.n; i++) {
        struct cause *cause = &m->c->all.at[i];
        bool can_be = cause->region != NIL && calls_mpi[cause->process] && m->c->n_processes > 1;
        cause->others =
            can_be ? (double)(all[cause->region] - cause->own) / (double)(m->c->n_processes - 1)
                   : -1.0;
    }
    free(all);
    free(calls_mpi);
}

/* ---- all of it ---- */

static void make(struct causes *c, struct report *r)
{
    struct making m = {.c = c, .p = c->replay};
    replay_make(m.p, r);
    costs_make_of_waits(m.p);
    c->length = costs_make_of_path(m.p);
    gather_costs(&m);
    gather_waiters(&m);
    compare(&m);
    for (size_t i = 0; i < r->defs.processes.n; i++)
        *LIST_ADD(&c->critical) = 0;
    for (size_t i = 0; i < c->all.n; i++)
        c->critical.at[c->all.at[i].process] += c->all.at[i].critical;
    free(m.cause_of.slots);
    free(m.of_cost);
}

const struct causes *causes_of(struct report *r)
{
    if (r->causes)
        return r->causes;
    r->causes = take_memory(sizeof *r->causes);
    r->causes->replay = take_memory(sizeof *r->causes->replay);
    r->causes->is_known = !r->tracks.is_over && r->gaps.has_all_messages && r->tracks.waits.n;
    if (r->causes->is_known)
        make(r->causes, r);
    return r->causes;
}

struct because causes_most(struct report *r, bool (*is_asked)(const void *user, uint32_t node),
                           const void *user)
{
    const struct causes *c = causes_of(r);
    const struct replay *p = c->replay;
    struct because most = {NULL, 0.0};
    size_t room = 0;
    double *ticks = list_grow(NULL, &room, c->all.n + 1, sizeof *ticks);
    struct map index_of = {0};
    for (uint32_t i = 0; i < c->all.n; i++)
        map_set(&index_of, c->all.at[i].process, c->all.at[i].region, i);
    for (size_t i = 0; i < p->suffered.n; i++) {
        const struct suffered *s = &p->suffered.at[i];
        const struct due *cost = &p->costs.at[s->cost];
        uint32_t region = p->activities.at[cost->activity].region;
        if (is_asked(user, s->node))
            ticks[map_find(&index_of, cost->process, region)] += s->ticks;
    }
    for (size_t i = 0; i < c->all.n; i++)
        if (ticks[i] > most.ticks)
            most = (struct because){&c->all.at[i], ticks[i]};
    free(ticks);
    free(index_of.slots);
    return most;
}

double cause_gain(const struct cause *cause)
{
    if (cause->others < 0.0 || (double)cause->own <= cause->others)
        return 0.0;
    return (double)cause->critical * (1.0 - cause->others / (double)cause->own);
}
