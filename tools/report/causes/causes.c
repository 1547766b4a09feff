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
    bool *calls_mpi; /* by process */
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
                                            .head = NIL,
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
    for (size_t i = 0; i < r->tracks.stints.n; i++) {
        const struct stint *part = &r->tracks.stints.at[i];
        if (!part->critical)
            continue;
        uint32_t process = r->defs.locations.at[part->location].process;
        uint32_t index = cause_of(m, process, part->activity.region);
        m->c->all.at[index].all.critical += part->critical;
        m->c->critical.at[process] += part->critical;
        m->c->length += part->critical;
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

/* Of all processes that call MPI, less the process: the mean of the others. */
static double mean_of_others(const struct making *m, const struct cause *cause, uint64_t all,
                             uint64_t own)
{
    bool can_be = cause->region != NIL && m->calls_mpi[cause->process] && m->c->n_processes > 1;
    return can_be ? (double)(all - own) / (double)(m->c->n_processes - 1) : -1.0;
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

static void compare_regions(struct making *m)
{
    const struct report *r = m->r;
    uint64_t *all = take_memory((r->defs.regions.n + 1) * sizeof *all);
    for (uint32_t i = 0; i < r->profile.nodes.n; i++) {
        const struct node *node = &r->profile.nodes.at[i];
        uint32_t process = r->profile.streams[node->location].process;
        uint32_t cause = map_find(&m->cause_of, process, node->region);
        uint64_t own = own_ticks(r, i);
        if (m->calls_mpi[process])
            all[node->region] += own;
        if (cause != NIL)
            m->c->all.at[cause].all.own += own;
    }
    for (size_t i = 0; i < m->c->all.n; i++) {
        struct cause *cause = &m->c->all.at[i];
        uint64_t of_all = cause->region == NIL ? 0 : all[cause->region];
        cause->all.others = mean_of_others(m, cause, of_all, cause->all.own);
    }
    free(all);
}

static uint32_t part_index(struct map *part_of, uint32_t process, const struct activity *a,
                           size_t next)
{
    return map_index(part_of, (uint64_t)process << 32 | a->region,
                     (uint64_t)a->call << 32 | a->site, next);
}

/* Behind the same call at the same place: of processes, and of all that call MPI (NIL). */
static void compare_parts(struct making *m)
{
    const struct report *r = m->r;
    struct map part_of = {0};
    size_t n = 0;
    struct spent_there *parts =
        take_memory((2 * r->tracks.stints.n + 2 * m->c->all.n + 1) * sizeof *parts);
    for (size_t i = 0; i < r->tracks.stints.n; i++) {
        const struct stint *part = &r->tracks.stints.at[i];
        const uint32_t of[] = {r->defs.locations.at[part->location].process, NIL};
        for (size_t k = 0; k < (m->calls_mpi[of[0]] ? 2 : 1); k++) {
            uint32_t index = part_index(&part_of, of[k], &part->activity, n);
            n += index == n;
            parts[index].own += part->own;
            parts[index].critical += part->critical;
        }
    }
    for (size_t i = 0; i < m->c->all.n; i++) {
        struct cause *cause = &m->c->all.at[i];
        const struct activity at = {cause->region, cause->call, cause->site};
        uint32_t own = part_index(&part_of, cause->process, &at, n);
        n += own == n;
        uint32_t all = part_index(&part_of, NIL, &at, n);
        n += all == n;
        cause->part = parts[own];
        cause->part.others = mean_of_others(m, cause, parts[all].own, parts[own].own);
    }
    free(part_of.slots);
    free(parts);
}

/* ---- all of it ---- */

static void make(struct causes *c, struct report *r)
{
    struct making m = {.c = c, .r = r};
    gather_costs(&m);
    gather_path(&m);
    gather_waiters(&m);
    find_callers(&m);
    compare_regions(&m);
    compare_parts(&m);
    causes_name(c, r);
    free(m.cause_of.slots);
    free(m.behind_of.slots);
    free(m.behind);
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
    const struct spent_there *part = &cause->part;
    if (part->others < 0.0 || (double)part->own <= part->others)
        return 0.0;
    return (double)part->critical * (1.0 - part->others / (double)part->own);
}
