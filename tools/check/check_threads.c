/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about threads: their life, teams that fork and join, tasks. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/check.h"

/* What happens to a thread, in the order in which it must. */
enum step { CREATE, BEGIN, END, WAIT, STEPS };

static const char *const step_names[STEPS] = {"ThreadCreate", "ThreadBegin", "ThreadEnd",
                                              "ThreadWait"};

struct thread {
    struct node node; /* a: contingent, b: sequence count */
    struct {
        const struct location *at; /* NULL: it did not happen */
        uint64_t time;
    } steps[STEPS];
};

struct task {
    struct node node; /* a: team and process or UINT64_MAX for Omp events, b: thread, c: number */
};

struct threads {
    struct map threads;
    struct map tasks;
};

void threads_begin(struct check *c)
{
    c->threads = take_memory(sizeof *c->threads);
    c->threads->threads.node_bytes = sizeof(struct thread);
    c->threads->tasks.node_bytes = sizeof(struct task);
}

/* ---- create, begin, end, wait ---- */

static void step(struct check *c, struct location *at, uint32_t contingent, uint64_t count,
                 enum step step)
{
    /* A thread that is not known to be created has no number at its end. */
    if (step == END && count == OTF2_UNDEFINED_UINT64)
        return;
    struct thread *thread = map_intern(&c->threads->threads, (struct key){contingent, count, 0});
    if (thread->steps[step].at)
        found(c->verdict, RULE_THREAD_PAIR, event_place(at),
              "a second %s of thread %" PRIu64 " of communicator %" PRIu32, step_names[step], count,
              contingent);
    thread->steps[step].at = at;
    thread->steps[step].time = at->time;
}

void thread_create(struct check *c, struct location *at, event_data e)
{
    step(c, at, e->evt_ThreadCreate.threadContingent, e->evt_ThreadCreate.sequenceCount, CREATE);
}

void thread_begin(struct check *c, struct location *at, event_data e)
{
    if (at->file.count != 1 || !(at->id & UINT32_MAX))
        found(c->verdict, RULE_THREAD_PLACE, event_place(at),
              "ThreadBegin is not the first event of a thread");
    step(c, at, e->evt_ThreadBegin.threadContingent, e->evt_ThreadBegin.sequenceCount, BEGIN);
}

void thread_wait(struct check *c, struct location *at, event_data e)
{
    step(c, at, e->evt_ThreadWait.threadContingent, e->evt_ThreadWait.sequenceCount, WAIT);
}

void thread_end(struct check *c, struct location *at, event_data e)
{
    if (!(at->id & UINT32_MAX))
        found(c->verdict, RULE_THREAD_PLACE, event_place(at), "ThreadEnd of a first thread");
    at->n_thread_ends++;
    step(c, at, e->evt_ThreadEnd.threadContingent, e->evt_ThreadEnd.sequenceCount, END);
}

static void check_order(struct check *c, const struct thread *t, enum step first, enum step then)
{
    if (!t->steps[then].at)
        return;
    if (!t->steps[first].at) {
        found(c->verdict, RULE_THREAD_PAIR,
              (struct place){.location = t->steps[then].at->id, .has_location = true},
              "%s without %s of thread %" PRIu64 " of communicator %" PRIu64, step_names[then],
              step_names[first], t->node.key.b, t->node.key.a);
    } else if (t->steps[first].time > t->steps[then].time) {
        found(c->verdict, RULE_THREAD_ORDER,
              (struct place){.location = t->steps[then].at->id, .has_location = true},
              "%s at %" PRIu64 " before %s at %" PRIu64 " of thread %" PRIu64
              " of communicator %" PRIu64,
              step_names[then], t->steps[then].time, step_names[first], t->steps[first].time,
              t->node.key.b, t->node.key.a);
    } else if (t->steps[first].at->process != t->steps[then].at->process) {
        found(c->verdict, RULE_THREAD_PAIR,
              (struct place){.location = t->steps[then].at->id, .has_location = true},
              "%s and %s of thread %" PRIu64 " of communicator %" PRIu64 " in two processes",
              step_names[first], step_names[then], t->node.key.b, t->node.key.a);
    }
}

static void finish_thread(void *node, void *context)
{
    struct check *c = context;
    const struct thread *t = node;
    if (c->is_cut)
        return;
    check_order(c, t, CREATE, BEGIN);
    check_order(c, t, BEGIN, END);
    check_order(c, t, END, WAIT);
    if (t->steps[CREATE].at && !t->steps[BEGIN].at && !c->allows_unfinished)
        found(c->verdict, RULE_THREAD_LEFT,
              (struct place){.location = t->steps[CREATE].at->id, .has_location = true},
              "thread %" PRIu64 " of communicator %" PRIu64 " is created and never begins",
              t->node.key.b, t->node.key.a);
}

/*
 * A thread that lives on when its process ends has no end of its own. One without a begin was
 * created by a library that calls the C library directly: no ThreadCreate asks for it.
 */
static void check_place(struct check *c, const struct location *at)
{
    struct place where = {.location = at->id, .has_location = true};
    if (!at->file.count || !(at->id & UINT32_MAX) || at->is_broken)
        return;
    if (at->n_thread_ends > 1 || (at->n_thread_ends && at->last_record != OTF2_EVT_ThreadEnd))
        found(c->verdict, RULE_THREAD_PLACE, where, "ends with %s, not with ThreadEnd",
              otf2_events[at->last_record].name);
}

/* ---- fork and join ---- */

static void fork_team(struct location *at, uint8_t paradigm)
{
    at->forks = list_grow(at->forks, &at->forks_room, at->n_forks + 1, 1);
    at->forks[at->n_forks++] = paradigm;
}

static void join_team(struct check *c, struct location *at, uint8_t paradigm)
{
    if (!at->n_forks) {
        found(c->verdict, RULE_FORK_NESTING, event_place(at), "a join without a fork");
        return;
    }
    if (at->forks[--at->n_forks] != paradigm)
        found(c->verdict, RULE_FORK_NESTING, event_place(at),
              "a join of paradigm %u, the fork is of paradigm %u", paradigm,
              at->forks[at->n_forks]);
}

void thread_fork(struct check *c, struct location *at, event_data e)
{
    (void)c;
    fork_team(at, e->evt_ThreadFork.model);
}

void thread_join(struct check *c, struct location *at, event_data e)
{
    join_team(c, at, e->evt_ThreadJoin.model);
}

void omp_fork(struct check *c, struct location *at, event_data e)
{
    (void)c, (void)e;
    fork_team(at, OTF2_PARADIGM_OPENMP);
}

void omp_join(struct check *c, struct location *at, event_data e)
{
    (void)e;
    join_team(c, at, OTF2_PARADIGM_OPENMP);
}

/* Whether a location is one of a team; true when that cannot be told. */
static bool is_in_team(const struct check *c, const struct location *at, uint32_t number)
{
    const struct otf2_def_Comm *comm = defined_as(c, OTF2_REF_Comm, number, OTF2_DEF_Comm);
    const struct otf2_def_Group *group =
        comm ? defined_as(c, OTF2_REF_Group, comm->group, OTF2_DEF_Group) : NULL;
    const struct otf2_def_Group *world = NULL;
    if (!group || group->groupType != OTF2_GROUP_TYPE_COMM_GROUP || !group->numberOfMembers)
        return true;
    for (size_t i = 0; i < c->n_all && !world; i++) {
        const struct otf2_def_Group *def = c->all[i].data;
        if (c->all[i].record == OTF2_DEF_Group && def->paradigm == group->paradigm &&
            def->groupType == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            world = def;
    }
    for (uint32_t i = 0; world && i < group->numberOfMembers; i++)
        if (group->members[i] < world->numberOfMembers &&
            world->members[group->members[i]] == at->id)
            return true;
    return !world;
}

void team_begin(struct check *c, struct location *at, event_data e)
{
    uint32_t team = e->evt_ThreadTeamBegin.threadTeam;
    at->teams = list_grow(at->teams, &at->teams_room, at->n_teams + 1, sizeof *at->teams);
    at->teams[at->n_teams++] = team;
    if (at->known_team == team + UINT64_C(1))
        return;
    if (is_in_team(c, at, team))
        at->known_team = team + UINT64_C(1);
    else
        found(c->verdict, RULE_THREAD_MEMBER, event_place(at),
              "the location is no member of team %" PRIu32, team);
}

void team_end(struct check *c, struct location *at, event_data e)
{
    uint32_t team = e->evt_ThreadTeamEnd.threadTeam;
    if (!at->n_teams)
        found(c->verdict, RULE_TEAM_NESTING, event_place(at),
              "ThreadTeamEnd of team %" PRIu32 ", none was entered", team);
    else if (at->teams[--at->n_teams] != team)
        found(c->verdict, RULE_TEAM_NESTING, event_place(at),
              "ThreadTeamEnd of team %" PRIu32 ", the last one entered is %" PRIu32, team,
              at->teams[at->n_teams]);
}

/* ---- tasks ---- */

static struct key task_key(const struct location *at, uint32_t team, uint64_t thread,
                           uint64_t number)
{
    return (struct key){at->process->node.key.a << 32 | team, thread, number};
}

static void create_task(struct check *c, struct location *at, struct key key)
{
    if (map_find(&c->threads->tasks, key))
        found(c->verdict, RULE_TASK, event_place(at),
              "task %" PRIu64 " of thread %" PRIu64 " is created and not complete yet", key.c,
              key.b);
    (void)map_intern(&c->threads->tasks, key);
}

static void use_task(struct check *c, struct location *at, struct key key, bool is_complete)
{
    struct task *task = map_find(&c->threads->tasks, key);
    if (!task)
        found(c->verdict, RULE_TASK, event_place(at),
              "task %" PRIu64 " of thread %" PRIu64 " does not exist", key.c, key.b);
    else if (is_complete)
        map_remove(&c->threads->tasks, task);
}

void task_create(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadTaskCreate *t = &e->evt_ThreadTaskCreate;
    create_task(c, at, task_key(at, t->threadTeam, t->creatingThread, t->generationNumber));
}

/* Number 0 is the implicit task of a thread, which nobody creates. */
void task_switch(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadTaskSwitch *t = &e->evt_ThreadTaskSwitch;
    if (t->generationNumber)
        use_task(c, at, task_key(at, t->threadTeam, t->creatingThread, t->generationNumber), false);
}

void task_complete(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadTaskComplete *t = &e->evt_ThreadTaskComplete;
    if (t->generationNumber)
        use_task(c, at, task_key(at, t->threadTeam, t->creatingThread, t->generationNumber), true);
}

void omp_task_create(struct check *c, struct location *at, event_data e)
{
    create_task(c, at, task_key(at, UINT32_MAX, 0, e->evt_OmpTaskCreate.taskID));
}

void omp_task_switch(struct check *c, struct location *at, event_data e)
{
    if (e->evt_OmpTaskSwitch.taskID)
        use_task(c, at, task_key(at, UINT32_MAX, 0, e->evt_OmpTaskSwitch.taskID), false);
}

void omp_task_complete(struct check *c, struct location *at, event_data e)
{
    if (e->evt_OmpTaskComplete.taskID)
        use_task(c, at, task_key(at, UINT32_MAX, 0, e->evt_OmpTaskComplete.taskID), true);
}

static void report_task(void *node, void *context)
{
    struct check *c = context;
    const struct task *t = node;
    found(c->verdict, RULE_TASK, (struct place){0},
          "task %" PRIu64 " of thread %" PRIu64 " is never complete", t->node.key.c, t->node.key.b);
}

/* ---- the end ---- */

void threads_finish(struct check *c)
{
    struct threads *threads = c->threads;
    map_each(&threads->threads, finish_thread, c);
    for (size_t i = 0; i < c->n_locations; i++) {
        const struct location *at = &c->locations[i];
        struct place where = {.location = at->id, .has_location = true};
        check_place(c, at);
        if (at->is_broken || c->allows_unfinished)
            continue;
        if (at->n_forks)
            found(c->verdict, RULE_FORK_NESTING, where, "%zu forks are not joined", at->n_forks);
        if (at->n_teams)
            found(c->verdict, RULE_TEAM_NESTING, where, "%zu teams are not left", at->n_teams);
    }
    if (!c->is_cut && !c->allows_unfinished)
        map_each(&threads->tasks, report_task, c);
    map_fini(&threads->threads);
    map_fini(&threads->tasks);
    free(threads);
}
