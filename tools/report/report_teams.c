/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/report.h"

static struct parallel *parallel_of(struct teams *t, uint32_t region)
{
    uint32_t index = map_find(&t->region_of, region, 0);
    if (index == NIL) {
        index = (uint32_t)t->regions.n;
        *LIST_ADD(&t->regions) = (struct parallel){.region = region};
        map_set(&t->region_of, region, 0, index);
    }
    return &t->regions.at[index];
}

/* All threads are through with it: into the sums. */
static void close_team(struct teams *t, uint32_t index)
{
    const struct team *team = &t->all.at[index];
    struct parallel *row = parallel_of(t, team->region);
    uint64_t ticks = team->join - team->fork;
    row->calls++;
    row->ticks += ticks;
    row->threads += team->n;
    row->room += ticks * team->n;
    row->busy += team->busy;
    row->in_barriers += team->in_barriers;
    row->uneven += team->busiest * team->n - team->busy;
    if (team->n > row->most)
        row->most = team->n;
    if (map_find(&t->current, team->process, team->comm) == index)
        map_remove(&t->current, team->process, team->comm);
    *LIST_ADD(&t->free) = index;
}

static void close_if_done(struct teams *t, uint32_t index)
{
    if (t->all.at[index].is_joined && !t->all.at[index].n_working)
        close_team(t, index);
}

/* ---- the thread that forks ---- */

static void fork_team(struct report *r, uint64_t location, uint64_t time, uint32_t requested)
{
    struct stream *s = profile_at(r, location, &time);
    s->has_forked = true;
    *LIST_ADD(&s->forks) = (struct fork){time, profile_top(s)->node, NIL, requested};
}

static void join_team(struct report *r, uint64_t location, uint64_t time)
{
    struct stream *s = profile_at(r, location, &time);
    struct teams *t = &r->teams;
    if (!s->forks.n)
        return;
    struct fork fork = s->forks.at[--s->forks.n];
    if (fork.team != NIL) {
        t->all.at[fork.team].is_joined = true;
        t->all.at[fork.team].join = time;
        close_if_done(t, fork.team);
        return;
    }
    struct parallel *row = parallel_of(t, r->profile.nodes.at[fork.node].region);
    row->calls++;
    row->ticks += time - fork.begin;
    row->threads += fork.requested;
    if (fork.requested > row->most)
        row->most = fork.requested;
}

static OTF2_CallbackCode on_fork(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, OTF2_Paradigm model, uint32_t n)
{
    (void)attributes, (void)model;
    fork_team(user, location, time, n);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_join(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                 OTF2_AttributeList *attributes, OTF2_Paradigm model)
{
    (void)attributes, (void)model;
    join_team(user, location, time);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_old_fork(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                     OTF2_AttributeList *attributes, uint32_t n)
{
    (void)attributes;
    fork_team(user, location, time, n);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_old_join(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                     OTF2_AttributeList *attributes)
{
    (void)attributes;
    join_team(user, location, time);
    return OTF2_CALLBACK_SUCCESS;
}

/* ---- its members ---- */

static uint32_t new_team(struct teams *t, uint32_t process, uint32_t comm)
{
    uint32_t index;
    if (t->free.n) {
        index = t->free.at[--t->free.n];
    } else {
        index = (uint32_t)t->all.n;
        (void)LIST_ADD(&t->all);
    }
    t->all.at[index] = (struct team){.comm = comm, .process = process};
    map_set(&t->current, process, comm, index);
    return index;
}

static bool is_member(const struct stream *s, uint32_t team)
{
    for (size_t i = 0; i < s->teams.n; i++)
        if (s->teams.at[i].team == team)
            return true;
    return false;
}

/*
 * Threads may begin before the one that forks does, and end after it has joined; the communicator
 * of a team is that of the next team of the same threads as well.
 */
static OTF2_CallbackCode on_team_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                       OTF2_AttributeList *attributes, OTF2_CommRef id)
{
    struct report *r = user;
    struct teams *t = &r->teams;
    struct stream *s = profile_at(r, location, &time);
    uint32_t comm = defs_comm(&r->defs, id);
    uint32_t index = map_find(&t->current, s->process, comm);
    (void)attributes;
    if (index == NIL || t->all.at[index].is_joined || is_member(s, index))
        index = new_team(t, s->process, comm);
    struct team *team = &t->all.at[index];
    team->n++;
    team->n_working++;
    *LIST_ADD(&s->teams) = (struct membership){time, s->in_barriers, index, comm};
    struct fork *fork = s->forks.n ? &s->forks.at[s->forks.n - 1] : NULL;
    if (fork && fork->team == NIL && !team->is_forked) {
        fork->team = index;
        team->is_forked = true;
        team->fork = fork->begin;
        team->region = r->profile.nodes.at[fork->node].region;
    }
    return OTF2_CALLBACK_SUCCESS;
}

/* Time in barriers of threads, with that of one in which the thread still is. */
static uint64_t in_barriers(const struct report *r, const struct stream *s)
{
    const struct frame *top = profile_top(s);
    uint32_t region = r->profile.nodes.at[top->node].region;
    bool is_in = r->defs.regions.at[region].meaning == REGION_OMP_BARRIER;
    return s->in_barriers + (is_in ? s->last - top->enter : 0);
}

static OTF2_CallbackCode on_team_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *user,
                                     OTF2_AttributeList *attributes, OTF2_CommRef id)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    (void)attributes;
    if (!s->teams.n || s->teams.at[s->teams.n - 1].comm != defs_comm(&r->defs, id))
        return OTF2_CALLBACK_SUCCESS;
    struct membership m = s->teams.at[--s->teams.n];
    struct team *team = &r->teams.all.at[m.team];
    uint64_t took = time - m.begin;
    uint64_t waited = in_barriers(r, s) - m.in_barriers;
    uint64_t busy = waited < took ? took - waited : 0;
    if (!s->teams.n)
        s->in_teams += took;
    team->n_working--;
    team->busy += busy;
    team->in_barriers += took - busy;
    if (busy > team->busiest)
        team->busiest = busy;
    close_if_done(&r->teams, m.team);
    return OTF2_CALLBACK_SUCCESS;
}

#define READ(Name, function) OTF2_GlobalEvtReaderCallbacks_Set##Name##Callback(c, function)

void teams_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(ThreadFork, on_fork);
    READ(ThreadJoin, on_join);
    READ(OmpFork, on_old_fork);
    READ(OmpJoin, on_old_join);
    READ(ThreadTeamBegin, on_team_begin);
    READ(ThreadTeamEnd, on_team_end);
}
