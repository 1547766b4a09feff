/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "tools/report/topics/report.h"

/* An event of a location. */
struct team_event {
    uint64_t time;
    uint64_t took; /* an ended membership: the location's times in the team */
    uint64_t in_barriers;
    uint64_t in_mpi;
    uint32_t location;
    uint32_t process;
    uint32_t comm;
    uint32_t region; /* region of the fork */
    uint32_t requested;
    enum { TEAM_FORKS, TEAM_JOINS, TEAM_BEGINS, TEAM_ENDS } what;
    bool is_outermost; /* of the location's memberships */
};

struct parallel *teams_parallel(struct teams *t, uint32_t region, struct birth born)
{
    uint32_t index = map_index(&t->region_of, region, 0, t->regions.n);
    if (index == t->regions.n)
        *LIST_ADD(&t->regions) = (struct parallel){.region = region, .born = born};
    return &t->regions.at[index];
}

/* A single thread waits for nobody. */
static bool is_alone(const struct report *r, uint32_t comm)
{
    uint32_t group = comm == NIL ? NIL : r->defs.comms.at[comm].group;
    return group != NIL && r->defs.groups.at[group].n == 1;
}

/* ---- the shared part: by the worker of the process ---- */

/*
 * Adds a team to the crew of the process, but for teams outside of MPI_Init and MPI_Finalize, if
 * the process has calls of MPI_Init and MPI_Finalize.
 */
static void add_crew(struct report *r, const struct team *team, uint64_t ticks)
{
    struct teams *t = &r->teams;
    uint32_t main = r->defs.processes.at[team->process].main;
    const struct stream *s = main == NIL ? NULL : &r->profile.streams[main];
    while (t->crews.n <= team->process)
        (void)LIST_ADD(&t->crews);
    struct crew *crew = &t->crews.at[team->process];
    if (s && ((s->mpi.has_begun && team->fork < s->mpi.begin) ||
              (s->mpi.has_ended && team->join > s->mpi.end)))
        return;
    if (s && s->mpi.has_begun && !crew->is_in_mpi)
        *crew = (struct crew){.is_in_mpi = true};
    crew->work += team->busy > team->in_mpi ? team->busy - team->in_mpi : 0;
    crew->forked += ticks;
    crew->room += ticks * team->n;
    crew->uneven += team->busiest * team->n - team->busy;
    if (team->n > crew->most)
        crew->most = team->n;
}

/*
 * Members that end before the last member wait for the last member in a barrier without a record.
 */
static void tell_members(const struct report *r, const struct team *team)
{
    for (size_t i = 0; r->listener && i < team->members.n; i++) {
        const struct member_end *m = &team->members.at[i];
        if (m->time < team->last_end && r->is_selected[m->location])
            r->listener->thread_wait(r, &(struct single_thread_wait){
                                            .begin = m->time,
                                            .end = team->last_end,
                                            .ticks = team->last_end - m->time,
                                            .location = m->location,
                                            .comm = team->comm,
                                            .holder = NIL,
                                            .lock = NIL,
                                        });
    }
}

/* All threads have left the team, the last thread at `now`: adds the team to the sums. */
static void close_team(struct report *r, uint32_t index, struct birth now)
{
    struct teams *t = &r->teams;
    const struct team *team = &t->all.at[index];
    uint64_t ticks = team->join - team->fork;
    uint64_t in_barriers =
        is_alone(r, team->comm) ? 0 : team->in_barriers + team->last_end * team->n - team->ends;
    if (map_find(&t->current, team->process, team->comm) == index)
        map_remove(&t->current, team->process, team->comm);
    *LIST_ADD(&t->free) = index;
    tell_members(r, team);
    free(team->members.at);
    if (team->is_outside)
        return;
    struct parallel *row = teams_parallel(t, team->region, now);
    row->calls++;
    row->ticks += ticks;
    row->threads += team->n;
    row->room += ticks * team->n;
    row->busy += team->busy;
    row->in_barriers += in_barriers;
    row->in_locks += team->in_locks;
    uint64_t longest = place_ticks(&row->longest);
    place_add(&row->longest, team->fork, team->join, r->defs.processes.at[team->process].main,
              r->defs.processes.at[team->process].main);
    if (place_ticks(&row->longest) > longest)
        row->longest_at = now;
    row->uneven += team->busiest * team->n - team->busy;
    if (team->n > row->most)
        row->most = team->n;
    add_crew(r, team, ticks);
}

static void close_if_done(struct report *r, const struct team_event *e, uint32_t index)
{
    const struct team *team = &r->teams.all.at[index];
    if (team->is_joined && !team->n_working)
        close_team(r, index, (struct birth){e->time, e->location});
}

/* ---- the forking thread ---- */

static void take_fork(struct stream *s, const struct team_event *e)
{
    *LIST_ADD(&s->forks) = (struct fork){e->time, e->region, NIL, e->requested};
}

static void take_join(struct report *r, struct stream *s, const struct team_event *e)
{
    struct teams *t = &r->teams;
    if (!s->forks.n)
        return;
    struct fork fork = s->forks.at[--s->forks.n];
    if (fork.team != NIL) {
        t->all.at[fork.team].is_joined = true;
        t->all.at[fork.team].join = e->time;
        close_if_done(r, e, fork.team);
        return;
    }
    if (!r->is_selected[e->location])
        return;
    struct parallel *row = teams_parallel(t, fork.region, (struct birth){e->time, e->location});
    row->calls++;
    row->ticks += e->time - fork.begin;
    row->threads += fork.requested;
    if (fork.requested > row->most)
        row->most = fork.requested;
}

/* ---- the members of a team ---- */

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
    for (size_t i = 0; i < s->seats.n; i++)
        if (s->seats.at[i].team == team)
            return true;
    return false;
}

/*
 * Threads may begin before the forking thread does, and end after the forking thread has joined.
 * The communicator of a team also serves the next team of the same threads.
 */
static void take_begin(struct report *r, struct stream *s, const struct team_event *e)
{
    struct teams *t = &r->teams;
    uint32_t index = map_find(&t->current, e->process, e->comm);
    if (index == NIL || t->all.at[index].is_joined || is_member(s, index))
        index = new_team(t, e->process, e->comm);
    struct team *team = &t->all.at[index];
    team->n++;
    team->n_working++;
    team->is_outside |= !r->is_selected[e->location];
    *LIST_ADD(&s->seats) = (struct seat){.team = index, .in_locks = s->in_locks};
    struct fork *fork = s->forks.n ? &s->forks.at[s->forks.n - 1] : NULL;
    if (fork && fork->team == NIL && !team->is_forked) {
        fork->team = index;
        team->is_forked = true;
        team->fork = fork->begin;
        team->region = fork->region;
    }
}

static void take_end(struct report *r, struct stream *s, const struct team_event *e)
{
    struct seat seat = s->seats.at[--s->seats.n];
    struct team *team = &r->teams.all.at[seat.team];
    uint64_t waited = e->in_barriers < e->took ? e->in_barriers : e->took;
    uint64_t for_locks = s->in_locks - seat.in_locks;
    for_locks = for_locks < e->took - waited ? for_locks : e->took - waited;
    uint64_t busy = e->took - waited - for_locks;
    if (e->is_outermost && !s->forks.n)
        team->in_mpi += e->in_mpi;
    uint64_t end = team->is_joined && team->join < e->time ? team->join : e->time;
    team->ends += end;
    team->last_end = end > team->last_end ? end : team->last_end;
    if (r->listener)
        *LIST_ADD(&team->members) = (struct member_end){e->location, end};
    team->n_working--;
    team->busy += busy;
    team->in_barriers += waited;
    team->in_locks += for_locks;
    if (busy > team->busiest)
        team->busiest = busy;
    close_if_done(r, e, seat.team);
}

static inline void take(struct report *r, const struct team_event *e)
{
    struct stream *s = &r->profile.streams[e->location];
    switch (e->what) {
    case TEAM_FORKS:
        take_fork(s, e);
        break;
    case TEAM_JOINS:
        take_join(r, s, e);
        break;
    case TEAM_BEGINS:
        take_begin(r, s, e);
        break;
    case TEAM_ENDS:
        take_end(r, s, e);
        break;
    }
}

void teams_take(struct report *r, const void *data)
{
    take(r, data);
}

/* ---- the local part ---- */

/* Of the stream's last event. */
static inline OTF2_CallbackCode tell(struct report *r, struct stream *s, struct team_event e)
{
    e.time = s->last;
    e.location = s->location;
    e.process = s->process;
    if (notes_are_whole(&r->notes, s->process))
        take(r, &e);
    else
        notes_tell_process(r, s->process, notes_new(r, s, NOTE_TEAM), &e, sizeof e);
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode fork_team(struct report *r, struct stream *s, uint32_t requested)
{
    s->has_forked = true;
    return tell(r, s,
                (struct team_event){.what = TEAM_FORKS,
                                    .region = r->profile.nodes.at[profile_top(s)->node].region,
                                    .requested = requested});
}

static OTF2_CallbackCode on_fork(MERGED_EVENT, OTF2_Paradigm model, uint32_t n)
{
    (void)model;
    return fork_team(user, profile_at(user, location, &time), n);
}

static OTF2_CallbackCode on_join(MERGED_EVENT, OTF2_Paradigm model)
{
    (void)model;
    return tell(user, profile_at(user, location, &time), (struct team_event){.what = TEAM_JOINS});
}

static OTF2_CallbackCode on_old_fork(MERGED_EVENT, uint32_t n)
{
    return on_fork(location, time, user, attributes, OTF2_PARADIGM_OPENMP, n);
}

static OTF2_CallbackCode on_old_join(MERGED_EVENT)
{
    return on_join(location, time, user, attributes, OTF2_PARADIGM_OPENMP);
}

static OTF2_CallbackCode on_team_begin(MERGED_EVENT, OTF2_CommRef id)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    uint32_t comm = defs_comm(&r->defs, id);
    *LIST_ADD(&s->teams) = (struct membership){.begin = time,
                                               .in_barriers = s->in_barriers,
                                               .in_mpi = s->in_mpi,
                                               .comm = comm};
    return tell(r, s, (struct team_event){.what = TEAM_BEGINS, .comm = comm});
}

void teams_waited(struct report *r, struct stream *s, const struct frame *frame)
{
    uint64_t ticks = s->last - frame->enter - frame->below - frame->off;
    bool is_before = s->is_outside && s->now < r->from;
    uint32_t comm = s->teams.n ? s->teams.at[s->teams.n - 1].comm : NIL;
    s->in_barriers += ticks;
    if (is_alone(r, comm)) {
        profile_wait(r, frame->node, WAIT_NOBODY, ticks);
        return;
    }
    if (!r->listener || !r->is_selected[s->location] || frame->is_beyond || is_before)
        return;
    r->listener->thread_wait(r, &(struct single_thread_wait){
                                    .begin = frame->enter,
                                    .end = s->last,
                                    .ticks = ticks,
                                    .call = frame->call,
                                    .location = s->location,
                                    .comm = comm,
                                    .holder = NIL,
                                    .lock = NIL,
                                });
}

/* Time in barriers of threads, including the barrier in which the thread still is. */
static uint64_t in_barriers(const struct report *r, const struct stream *s)
{
    const struct frame *top = profile_top(s);
    uint32_t region = r->profile.nodes.at[top->node].region;
    bool is_in = r->defs.regions.at[region].meaning == REGION_OMP_BARRIER;
    return s->in_barriers + (is_in ? s->last - top->enter - top->below : 0);
}

static OTF2_CallbackCode on_team_end(MERGED_EVENT, OTF2_CommRef id)
{
    struct report *r = user;
    struct stream *s = profile_at(r, location, &time);
    if (!s->teams.n || s->teams.at[s->teams.n - 1].comm != defs_comm(&r->defs, id))
        return OTF2_CALLBACK_SUCCESS;
    struct membership m = s->teams.at[--s->teams.n];
    bool is_outermost = !s->teams.n;
    if (is_outermost)
        s->in_teams += time - m.begin;
    return tell(r, s,
                (struct team_event){.what = TEAM_ENDS,
                                    .took = time - m.begin,
                                    .in_barriers = in_barriers(r, s) - m.in_barriers,
                                    .in_mpi = s->in_mpi - m.in_mpi,
                                    .is_outermost = is_outermost});
}

void teams_register(OTF2_GlobalEvtReaderCallbacks *c)
{
    READ(ThreadFork, on_fork);
    READ(ThreadJoin, on_join);
    READ(OmpFork, on_old_fork);
    READ(OmpJoin, on_old_join);
    READ(ThreadTeamBegin, on_team_begin);
    READ(ThreadTeamEnd, on_team_end);
}
