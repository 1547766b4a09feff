/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The meaning of OpenMP's constructs, for every runtime: the wrappers of libgomp's functions and
 * the callbacks of OMPT report events, and these functions record the events.
 *
 * A function is called by the thread of the event, takes the time itself, and records at once. The
 * depth guard is up within these functions only, never while the program or the runtime goes on. A
 * call from inside another wrapped call, or while nothing is recorded, records nothing. A region
 * that ends later than its begin ends only if the begin was recorded, whatever was switched in
 * between. No function fails, changes errno, or is a cancellation point. No function takes a new
 * lock or new memory for a repeated event, so repetitions cost little more than the clock.
 *
 * Records of a member of a team, T its communicator, P the parallel region:
 *
 *     encountering thread                          the others
 *     Enter P, ThreadFork
 *       ThreadTeamBegin T                          ThreadTeamBegin T, Enter P
 *         ...                                        ...
 *         Enter implicit barrier, Leave              (where the runtime tells)
 *       ThreadTeamEnd T                            Leave P, ThreadTeamEnd T
 *     ThreadJoin, Leave P
 *
 * A task: ThreadTaskCreate in "create task"; then, on the executing thread, ThreadTaskSwitch, Enter
 * "task" ... Leave, ThreadTaskComplete, ThreadTaskSwitch back. Tasks that a thread begins while
 * waiting in an outer task nest within the outer task's regions. The regions of a task that is
 * given up before its end are left then, and entered again when the task goes on, maybe on another
 * thread. The implicit task of the member at position p of a team is the task (T, p, 0).
 */
#ifndef WRAPPERS_OPENMP_RECORDS_H
#define WRAPPERS_OPENMP_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/spur_agent.h"

enum openmp_kind {
#define CONSTRUCT(NAME, ...) OPENMP_##NAME,
#include "wrappers/openmp/openmp_constructs.def"
#undef CONSTRUCT
    OPENMP_KINDS,          /* no construct */
    OPENMP_FIRST_NUMBERED, /* see ompt_numbered() */
    OPENMP_NUMBERED = 16
};

extern struct spur_construct openmp_constructs[OPENMP_FIRST_NUMBERED + OPENMP_NUMBERED];

/* ---- regions ---- */

/*
 * The task at hand enters the region of a construct; `address` is the return address of the
 * compiler's call for the construct, NULL: the address of the task at hand. And: the task leaves
 * the innermost region of the kind that the task has entered, and all regions entered since. A lock
 * still held in there is released. The end of a task leaves all its open regions.
 */
void openmp_enter(enum openmp_kind kind, const void *address);
void openmp_leave(enum openmp_kind kind);
/* Is the last construct that the task entered, and has not left, of this kind? */
bool openmp_is_in(enum openmp_kind kind);

/* The place of the innermost construct of this kind that the task at hand has entered; NULL:
 * none. */
const void *openmp_place_of(enum openmp_kind kind);

/*
 * Mutual exclusion of the region of `kind`, CRITICAL, ATOMIC or ORDERED: the task at hand enters
 * the region and may wait for `lock`. And: `lock` was acquired within the region entered last.
 * `lock` is any address that identifies the lock.
 */
void openmp_excludes(enum openmp_kind kind, const void *address, const void *lock);
void openmp_acquired(enum openmp_kind kind, const void *lock);

/*
 * For events that are reported late: the thread's records from now on carry `time`, read before by
 * spur_time(), or the time of the record before, if later; 0: the time of the recording.
 */
void openmp_at(uint64_t time);
/* The thread waits for work, see spur_rest(). */
void openmp_rest(const _Atomic uint64_t *since);

/* ---- parallel regions ---- */

struct openmp_team;
struct openmp_task;

/* One execution of a parallel region; the runtime's side keeps it from begin to end. */
struct openmp_parallel {
    struct openmp_team *team; /* NULL: not recorded */
    const void *address;
    uint8_t kind;   /* OPENMP_PARALLEL or OPENMP_TEAMS */
    bool is_hidden; /* begun inside a wrapped call: no records of its members */
};

/*
 * On the encountering thread: Enter and ThreadFork; ThreadJoin and Leave. `requested` is the number
 * of requested threads; the team may be smaller. The end closes everything that the thread has
 * opened since the begin.
 */
void openmp_parallel_begin(struct openmp_parallel *parallel, const void *address,
                           uint32_t requested);
void openmp_parallel_end(struct openmp_parallel *parallel);
/* The same, and openmp_member_end() of the encountering thread's implicit task before. */
void openmp_parallel_end_of(struct openmp_parallel *parallel, struct openmp_task *first);
/* The same for a league: the members are the initial threads of the league's teams. */
void openmp_league_begin(struct openmp_parallel *league, const void *address, uint32_t requested);
/* An address that identifies the team in which the thread works, for `ordered`. */
const void *openmp_team_lock(void);

/* ---- tasks, implicit and explicit ---- */

/*
 * Owned by the runtime's side: zeroed before openmp_member_begin() or openmp_task_created(), and in
 * place until the task is complete and no thread works on the task any more.
 */
struct openmp_task {
    struct openmp_team *team; /* NULL: not recorded */
    const void *address;      /* of the construct */
    const void *parallel;     /* of the surrounding parallel region */
    uint32_t creator;         /* position in the team of the creating thread, */
    uint32_t generation;      /* and the task's number there, from 1; 0: an implicit task */
    uint8_t kind;             /* OPENMP_TASK or OPENMP_TASK_UNTIED */
    bool is_hidden;           /* see struct openmp_parallel */
    bool is_planned;          /* see openmp_task_planned() */
    /* While a thread works on the task, or on a task begun meanwhile: */
    struct openmp_thread *on;  /* NULL: given up, or not begun */
    struct openmp_task *below; /* the thread's task before */
    uint32_t mark;             /* closes all that the task has opened */
    uint32_t base;             /* constructs open before the task */
    struct openmp_kept *kept;  /* while given up: the task's open constructs */
    struct openmp_task *next;  /* for the runtime's side, while the task is at hand */
};

/* Memory for a task, zeroed, for runtimes that give none; NULL: none left. Any thread frees it. */
struct openmp_task *openmp_task_new(void);
void openmp_task_free(struct openmp_task *task);

/*
 * The thread begins its part of the region as number `index` of the team, 0 the encountering
 * thread. And: the thread has ended its part. `implicit` is the implicit task of the part.
 */
void openmp_member_begin(struct openmp_task *implicit, const struct openmp_parallel *parallel,
                         uint32_t index);
void openmp_member_end(struct openmp_task *implicit);
/*
 * The implicit task at hand has done its part and waits in the barrier at the region's end: the
 * open regions of the task are left, and the barrier is entered. openmp_member_end() is still to
 * come.
 */
void openmp_member_waits(void);

/*
 * The task at hand has created `task`, of OPENMP_TASK or OPENMP_TASK_UNTIED. The time is that of
 * the thread's last record if the last record is the Enter of `create task`. If the task at hand is
 * not in the region `create task`, this function enters and leaves the region.
 */
void openmp_task_created(struct openmp_task *task, enum openmp_kind kind, const void *address);
/*
 * The task at hand is going to create tasks like `task`, without a report before the tasks begin.
 * Each new task gets a copy of `task`, and is recorded as created by the thread that begins the new
 * task.
 */
void openmp_task_planned(struct openmp_task *task, enum openmp_kind kind, const void *address);
/*
 * The thread goes on with `task`: begins or resumes the task, or goes back to an earlier task.
 * `is_complete`: the task at hand is at its end. Incomplete tasks between both are given up.
 * Returns the task at hand until now, NULL when there was no memory for the thread.
 */
struct openmp_task *openmp_task_switch(struct openmp_task *task, bool is_complete);
/*
 * The same when the task at hand is at its end but will be complete only when its event is
 * fulfilled: its open regions are left for good.
 */
void openmp_task_detach(struct openmp_task *task);
/* A task without a thread is complete: the task was discarded, or its event was fulfilled. */
void openmp_task_complete(const struct openmp_task *task);

#endif
