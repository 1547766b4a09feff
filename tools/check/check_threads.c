/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules about threads: their life, teams that fork and join, tasks. */
#include <inttypes.h>
#include <stdlib.h>

#include "tools/check/check_tell.h"

/* The steps of a thread's life, in the prescribed order. */
enum step { CREATE, BEGIN, END, WAIT, STEPS };

static const char *const step_names[STEPS] = {"ThreadCreate", "ThreadBegin", "ThreadEnd",
                                              "ThreadWait"};

struct thread {
    struct node node; /* a: contingent, b: sequence count */
    struct {
        const struct location *at; /* NULL: the step did not happen */
        uint64_t time;
    } steps[STEPS];
};

struct task {
    struct node node; /* a: team and process or UINT64_MAX for Omp events, b: thread, c: number */
};

struct threads {
    struct table threads;
    struct table tasks;
};

void threads_begin(struct check *c)
{
    c->threads = take_memory(sizeof *c->threads);
    c->threads->threads.node_bytes = sizeof(struct thread);
    c->threads->tasks.node_bytes = sizeof(struct task);
}

/* ---- create, begin, end, wait ---- */

struct thread_note {
    uint64_t time, count;
    uint32_t contingent;
    uint32_t step; /* a value of enum step */
};

static void tell_step(struct check *c, struct location *at, uint32_t contingent, uint64_t count,
                      enum step step)
{
    struct thread_note note = {at->time, count, contingent, step};
    struct key key = {contingent, count, 0};
    /* A thread without a known creation has no number at the thread's end. */
    if (step != END || count != OTF2_UNDEFINED_UINT64)
        TELL(c, at, THREAD, key, note);
}

void take_thread(struct check *c, const struct engine_note *n, const void *data)
{
    const struct thread_note *note = data;
    struct key key = {note->contingent, note->count, 0};
    struct thread *thread = table_intern(&c->threads->threads, key);
    if (thread->steps[note->step].at)
        found(c->verdict, RULE_THREAD_PAIR, note_place(c, n, data),
              "a second %s of thread %" PRIu64 " of communicator %" PRIu32, step_names[note->step],
              note->count, note->contingent);
    thread->steps[note->step].at = note_location(c, n);
    thread->steps[note->step].time = note->time;
}

void thread_create(struct check *c, struct location *at, event_data e)
{
    tell_step(c, at, e->evt_ThreadCreate.threadContingent, e->evt_ThreadCreate.sequenceCount,
              CREATE);
}

void thread_begin(struct check *c, struct location *at, event_data e)
{
    if (at->file.count != 1 || !(at->id & UINT32_MAX))
        found(c->verdict, RULE_THREAD_PLACE, event_place(at),
              "ThreadBegin is not the first event of a thread");
    tell_step(c, at, e->evt_ThreadBegin.threadContingent, e->evt_ThreadBegin.sequenceCount, BEGIN);
}

void thread_wait(struct check *c, struct location *at, event_data e)
{
    tell_step(c, at, e->evt_ThreadWait.threadContingent, e->evt_ThreadWait.sequenceCount, WAIT);
}

void thread_end(struct check *c, struct location *at, event_data e)
{
    if (!(at->id & UINT32_MAX))
        found(c->verdict, RULE_THREAD_PLACE, event_place(at), "ThreadEnd of a first thread");
    at->n_thread_ends++;
    tell_step(c, at, e->evt_ThreadEnd.threadContingent, e->evt_ThreadEnd.sequenceCount, END);
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
    if (t->steps[CREATE].at && !t->steps[BEGIN].at && !c->allows_unfinished && !c->has_gaps)
        found(c->verdict, RULE_THREAD_LEFT,
              (struct place){.location = t->steps[CREATE].at->id, .has_location = true},
              "thread %" PRIu64 " of communicator %" PRIu64 " is created and never begins",
              t->node.key.b, t->node.key.a);
}

/*
 * A thread that outlives the process's end has no end of its own. A thread without a begin was
 * created by a library that calls the C library directly: no ThreadCreate asks for a begin.
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

/* Whether a location is a member of a team; true if the membership is unknown. */
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
            gives_ranks(def))
            world = def;
    }
    uint64_t own = world && is_of_processes(world) ? at->def->locationGroup : at->id;
    for (uint32_t i = 0; world && i < group->numberOfMembers; i++)
        if (group->members[i] < world->numberOfMembers && world->members[group->members[i]] == own)
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

enum task_step { TASK_CREATE, TASK_USE, TASK_COMPLETE };

struct task_note {
    uint64_t time;
    struct key key;
    uint64_t step; /* enum task_step */
};

static void tell_task(struct check *c, struct location *at, struct key key, enum task_step step)
{
    struct task_note note = {at->time, key, step};
    TELL(c, at, TASK, key, note);
}

void take_task(struct check *c, const struct engine_note *n, const void *data)
{
    const struct task_note *note = data;
    struct key key = note->key;
    struct task *task = table_find(&c->threads->tasks, key);
    if (note->step == TASK_CREATE && task)
        found(c->verdict, RULE_TASK, note_place(c, n, data),
              "task %" PRIu64 " of thread %" PRIu64 " is created and not complete yet", key.c,
              key.b);
    else if (note->step == TASK_CREATE)
        (void)table_intern(&c->threads->tasks, key);
    else if (!task)
        found(c->verdict, RULE_TASK, note_place(c, n, data),
              "task %" PRIu64 " of thread %" PRIu64 " does not exist", key.c, key.b);
    else if (note->step == TASK_COMPLETE)
        table_remove(&c->threads->tasks, task);
}

void task_create(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadTaskCreate *t = &e->evt_ThreadTaskCreate;
    tell_task(c, at, task_key(at, t->threadTeam, t->creatingThread, t->generationNumber),
              TASK_CREATE);
}

/* Number 0 is the implicit task of a thread, created by nobody. */
void task_switch(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadTaskSwitch *t = &e->evt_ThreadTaskSwitch;
    if (t->generationNumber)
        tell_task(c, at, task_key(at, t->threadTeam, t->creatingThread, t->generationNumber),
                  TASK_USE);
}

void task_complete(struct check *c, struct location *at, event_data e)
{
    const struct otf2_evt_ThreadTaskComplete *t = &e->evt_ThreadTaskComplete;
    if (t->generationNumber)
        tell_task(c, at, task_key(at, t->threadTeam, t->creatingThread, t->generationNumber),
                  TASK_COMPLETE);
}

void omp_task_create(struct check *c, struct location *at, event_data e)
{
    tell_task(c, at, task_key(at, UINT32_MAX, 0, e->evt_OmpTaskCreate.taskID), TASK_CREATE);
}

void omp_task_switch(struct check *c, struct location *at, event_data e)
{
    if (e->evt_OmpTaskSwitch.taskID)
        tell_task(c, at, task_key(at, UINT32_MAX, 0, e->evt_OmpTaskSwitch.taskID), TASK_USE);
}

void omp_task_complete(struct check *c, struct location *at, event_data e)
{
    if (e->evt_OmpTaskComplete.taskID)
        tell_task(c, at, task_key(at, UINT32_MAX, 0, e->evt_OmpTaskComplete.taskID), TASK_COMPLETE);
}

static void report_task(void *node, void *context)
{
    struct check *c = context;
    const struct task *t = node;
    found(c->verdict, RULE_TASK_LEFT, (struct place){0},
          "task %" PRIu64 " of thread %" PRIu64 " is never complete", t->node.key.c, t->node.key.b);
}

/* ---- the end ---- */

void threads_finish(struct check *c)
{
    struct threads *threads = c->threads;
    each_in_phase(c, PHASE_THREADS, &threads->threads, finish_thread);
    const struct location *at = NULL;
    while ((at = next_in_phase(c, PHASE_PLACES, at))) {
        struct place where = {.location = at->id, .has_location = true};
        check_place(c, at);
        if (at->is_broken || c->allows_unfinished)
            continue;
        if (at->n_forks)
            found(c->verdict, RULE_FORK_NESTING, where, "%zu forks are not joined", at->n_forks);
        if (at->n_teams)
            found(c->verdict, RULE_TEAM_NESTING, where, "%zu teams are not left", at->n_teams);
    }
    if (!c->is_cut && !c->allows_unfinished && !c->has_gaps)
        each_in_phase(c, PHASE_TASKS, &threads->tasks, report_task);
    table_fini(&threads->threads);
    table_fini(&threads->tasks);
    free(threads);
}
