/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/causes/causes.h"

#include <stdlib.h>

#include "tools/base/map.h"
#include "tools/report/causes/causes_activities.h"
#include "tools/report/topics/report.h"

struct making {
    struct causes *c;
    struct report *r;
    struct map cause_of; /* (process and region, call and site) to all */
    bool *calls_mpi;     /* by process */
};

/* ---- by process, region and call ---- */

static uint64_t key_of(uint32_t process, uint32_t region)
{
    return (uint64_t)process << 32 | region;
}

static void gather_costs(struct making *m)
{
    const struct tracks *t = &m->r->tracks;
    struct causes *c = m->c;
    for (size_t i = 0; i < t->blames.n; i++) {
        const struct blame *blame = &t->blames.at[i];
        const struct activity *a = &blame->activity;
        uint32_t index = map_index(&m->cause_of, key_of(blame->process, a->region),
                                   activity_place(a->call, a->site), (uint32_t)c->all.n);
        if (index == c->all.n)
            *LIST_ADD(&c->all) = (struct cause){.process = blame->process,
                                                .region = a->region,
                                                .call = a->call,
                                                .site = a->site,
                                                .waiter = NIL,
                                                .head = NIL};
        c->all.at[index].direct += blame->direct;
        c->all.at[index].indirect += blame->indirect;
        *LIST_ADD(&c->of_blame) = index;
    }
}

static void gather_path(struct making *m)
{
    const struct report *r = m->r;
    struct causes *c = m->c;
    struct map part_of = {0};
    for (size_t i = 0; i < r->tracks.stints.n; i++) {
        const struct stint *stint = &r->tracks.stints.at[i];
        if (!stint->critical)
            continue;
        uint32_t process = r->defs.locations.at[stint->location].process;
        uint32_t region = stint->activity.region;
        uint32_t index = map_index(&part_of, process, region, (uint32_t)c->path.n);
        if (index == c->path.n)
            *LIST_ADD(&c->path) = (struct path_part){process, region, 0};
        c->path.at[index].critical += stint->critical;
        c->length += stint->critical;
    }
    free(part_of.slots);
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

static void find_callers(struct making *m)
{
    const struct report *r = m->r;
    m->calls_mpi = take_memory((r->defs.processes.n + 1) * sizeof *m->calls_mpi);
    for (size_t i = 0; i < r->tracks.callers.n; i++)
        m->calls_mpi[r->defs.locations.at[r->tracks.callers.at[i]].process] = true;
    for (size_t i = 0; i < r->defs.processes.n; i++)
        m->c->n_processes += m->calls_mpi[i];
}

static void gather_regions(struct making *m)
{
    const struct report *r = m->r;
    m->c->in_region = take_memory((r->defs.regions.n + 1) * sizeof *m->c->in_region);
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        if (m->calls_mpi[r->profile.streams[node->location].process])
            m->c->in_region[node->region] += own_ticks(r, i);
    }
}

/* Of all processes that call MPI, less the process: the mean of the others. */
static double mean_of_others(const struct making *m, const struct cause *cause, uint64_t all)
{
    bool can_be = cause->region != NIL && m->calls_mpi[cause->process] && m->c->n_processes > 1;
    return can_be ? (double)(all - cause->own) / (double)(m->c->n_processes - 1) : -1.0;
}

/* Behind the same call at the same place. */
static void compare(struct making *m)
{
    const struct report *r = m->r;
    struct map all_of = {0}; /* (region, call and site) */
    uint32_t n = 0;
    uint64_t *all = take_memory((r->tracks.stints.n + 1) * sizeof *all);
    for (size_t i = 0; i < r->tracks.stints.n; i++) {
        const struct stint *stint = &r->tracks.stints.at[i];
        const struct activity *a = &stint->activity;
        uint32_t process = r->defs.locations.at[stint->location].process;
        uint32_t sum = map_index(&all_of, a->region, activity_place(a->call, a->site), n);
        n += sum == n;
        all[sum] += m->calls_mpi[process] ? stint->own : 0;
        uint32_t cause =
            map_find(&m->cause_of, key_of(process, a->region), activity_place(a->call, a->site));
        if (cause != NIL) {
            m->c->all.at[cause].own += stint->own;
            m->c->all.at[cause].critical += stint->critical;
        }
    }
    for (size_t i = 0; i < m->c->all.n; i++) {
        struct cause *cause = &m->c->all.at[i];
        uint32_t sum = map_find(&all_of, cause->region, activity_place(cause->call, cause->site));
        cause->others = mean_of_others(m, cause, sum == NIL ? cause->own : all[sum]);
    }
    free(all_of.slots);
    free(all);
}

/* ---- all of it ---- */

static void make(struct causes *c, struct report *r)
{
    struct making m = {.c = c, .r = r};
    gather_costs(&m);
    gather_path(&m);
    gather_waiters(&m);
    find_callers(&m);
    gather_regions(&m);
    compare(&m);
    causes_name(c, r);
    free(m.cause_of.slots);
    free(m.calls_mpi);
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
