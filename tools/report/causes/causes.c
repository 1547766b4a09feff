/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes.h"

#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/report/topics/report.h"

/* ---- by process and region ---- */

/* What a cause costs behind a call. */
struct behind {
    uint32_t cause;
    uint32_t call;
    uint32_t site;
    double cost;
};

struct making {
    struct causes *c;
    struct report *r;
    struct map cause_of;  /* (process, region) to all */
    struct map behind_of; /* (cause, call and site) */
    struct behind *behind;
    uint32_t n_behind;
};

static uint32_t cause_of(struct making *m, uint32_t process, uint32_t region)
{
    struct causes *c = m->c;
    uint32_t index = map_index(&m->cause_of, process, region, c->all.n);
    if (index == c->all.n)
        *LIST_ADD(&c->all) = (struct cause){.process = process,
                                            .region = region,
                                            .call = NIL,
                                            .site = NIL,
                                            .waiter = NIL,
                                            .most = -1.0};
    return index;
}

static void add_behind(struct making *m, uint32_t cause, const struct activity *activity,
                       double cost)
{
    uint64_t place = (uint64_t)activity->call << 32 | activity->site;
    uint32_t index = map_index(&m->behind_of, cause, place, m->n_behind);
    if (index == m->n_behind)
        m->behind[m->n_behind++] = (struct behind){cause, activity->call, activity->site, 0.0};
    m->behind[index].cost += cost;
}

static void gather_costs(struct making *m)
{
    const struct tracks *t = &m->r->tracks;
    m->behind = take_memory((t->blames.n + 1) * sizeof *m->behind);
    for (size_t i = 0; i < t->blames.n; i++) {
        const struct blame *blame = &t->blames.at[i];
        uint32_t index = cause_of(m, blame->process, blame->activity.region);
        m->c->all.at[index].direct += blame->direct;
        m->c->all.at[index].indirect += blame->indirect;
        *LIST_ADD(&m->c->of_blame) = index;
        add_behind(m, index, &blame->activity, blame->direct + blame->indirect);
    }
    for (uint32_t i = 0; i < m->n_behind; i++) {
        const struct behind *behind = &m->behind[i];
        struct cause *cause = &m->c->all.at[behind->cause];
        if (behind->cost > cause->most) {
            cause->most = behind->cost;
            cause->call = behind->call;
            cause->site = behind->site;
        }
    }
}

static void gather_path(struct making *m)
{
    const struct report *r = m->r;
    for (size_t i = 0; i < r->defs.processes.n; i++)
        *LIST_ADD(&m->c->critical) = 0;
    for (size_t i = 0; i < r->tracks.critical.n; i++) {
        const struct critical *part = &r->tracks.critical.at[i];
        uint32_t process = r->defs.locations.at[part->location].process;
        uint32_t index = cause_of(m, process, part->activity.region);
        m->c->all.at[index].critical += part->ticks;
        m->c->critical.at[process] += part->ticks;
        m->c->length += part->ticks;
    }
}

static void gather_waiters(struct making *m)
{
    const struct tracks *t = &m->r->tracks;
    struct map sum_of = {0}; /* (cause, node) */
    double *sums = take_memory((t->blames.n + 1) * sizeof *sums);
    uint32_t n = 0;
    for (size_t i = 0; i < t->blames.n; i++) {
        const struct blame *blame = &t->blames.at[i];
        uint32_t index = m->c->of_blame.at[i];
        uint32_t sum = map_index(&sum_of, index, blame->node, n);
        n += sum == n;
        sums[sum] += blame->direct + blame->indirect;
        struct cause *cause = &m->c->all.at[index];
        if (sums[sum] > cause->waited) {
            cause->waited = sums[sum];
            cause->waiter = blame->node;
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
    const struct report *r = m->r;
    size_t room = 0;
    size_t rooms = 0;
    uint64_t *all = list_grow(NULL, &room, r->defs.regions.n + 1, sizeof *all);
    bool *calls_mpi = list_grow(NULL, &rooms, r->defs.processes.n + 1, sizeof *calls_mpi);
    for (size_t i = 0; i < r->tracks.callers.n; i++)
        calls_mpi[r->defs.locations.at[r->tracks.callers.at[i]].process] = true;
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
    struct making m = {.c = c, .r = r};
    gather_costs(&m);
    gather_path(&m);
    gather_waiters(&m);
    compare(&m);
    free(m.cause_of.slots);
    free(m.behind_of.slots);
    free(m.behind);
}

const struct causes *causes_of(struct report *r)
{
    if (!r->causes) {
        r->causes = take_memory(sizeof *r->causes);
        make(r->causes, r);
    }
    return r->causes;
}

struct because causes_most(struct report *r, bool (*is_asked)(const void *user, uint32_t node),
                           const void *user)
{
    const struct causes *c = causes_of(r);
    const struct tracks *t = &r->tracks;
    struct because most = {NULL, 0.0};
    double *ticks = take_memory((c->all.n + 1) * sizeof *ticks);
    for (size_t i = 0; i < t->blames.n; i++)
        if (is_asked(user, t->blames.at[i].node))
            ticks[c->of_blame.at[i]] += t->blames.at[i].direct + t->blames.at[i].indirect;
    for (size_t i = 0; i < c->all.n; i++)
        if (ticks[i] > most.ticks)
            most = (struct because){&c->all.at[i], ticks[i]};
    free(ticks);
    return most;
}

double cause_gain(const struct cause *cause)
{
    if (cause->others < 0.0 || (double)cause->own <= cause->others)
        return 0.0;
    return (double)cause->critical * (1.0 - cause->others / (double)cause->own);
}
