/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What OpenMP's constructs mean, whichever runtime carries them out: the wrappers of libgomp's
 * functions and the callbacks of OMPT tell what happens, these functions record it.
 *
 * Each is called by the thread that it happens to, takes the time itself, and records at once: the
 * depth guard is up within these functions only, never while the program or the runtime goes on.
 * A call from inside another wrapped call, or while nothing is recorded, records nothing; what ends
 * later than it began ends only if its beginning was recorded, whatever was switched in between.
 * None fails, changes errno, or is a cancellation point; none takes a lock or memory that it has
 * not used before, so that what repeats itself costs little more than the clock.
 *
 * Records of one member of a team, T its communicator, P the parallel region:
 *
 *     encountering thread                          the others
 *     Enter P, ThreadFork
 *       ThreadTeamBegin T                          ThreadTeamBegin T, Enter P
 *         ...                                        ...
 *         Enter implicit barrier, Leave              (where the runtime tells)
 *       ThreadTeamEnd T                            Leave P, ThreadTeamEnd T
 *     ThreadJoin, Leave P
 *
 * A task: ThreadTaskCreate in "create task"; then, where it runs, ThreadTaskSwitch, Enter "task"
 * ... Leave, ThreadTaskComplete, ThreadTaskSwitch back. Tasks that a thread begins while it waits
 * in another one nest within that one's regions. A task that is given up before its end has its
 * regions left then, and entered again when it goes on, maybe on another thread. The implicit task
 * of the member at position p of a team is the task (T, p, 0).
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
    OPENMP_KINDS
};

extern const struct spur_construct openmp_constructs[OPENMP_KINDS];

/* ---- regions ---- */

/*
 * The task at hand enters the region of a construct; `address` is where the call returns to that
 * the compiler made of it, NULL: that of the task at hand. And leaves the innermost one of that
 * kind that it has entered, and whatever it entered since; a lock that it still holds there is
 * released. All that a task leaves open is left at its end.
 */
void openmp_enter(enum openmp_kind kind, const void *address);
void openmp_leave(enum openmp_kind kind);
/* Is the construct that the task entered last, and has not left, of this kind? */
bool openmp_is_in(enum openmp_kind kind);

/* Where the innermost construct of this kind stands that the task at hand has entered; NULL: none.
 */
const void *openmp_place_of(enum openmp_kind kind);

/*
 * Mutual exclusion that belongs to the region of `kind`, CRITICAL, ATOMIC or ORDERED: the task at
 * hand enters the region and may wait for `lock`; it was acquired within the region that was
 * entered last. `lock` is any address that stands for it.
 */
void openmp_excludes(enum openmp_kind kind, const void *address, const void *lock);
void openmp_acquired(enum openmp_kind kind, const void *lock);

/*
 * For what is told late: the thread's records from now on carry this time, which was read by
 * spur_time(), or the one of the record before; 0: the time at which they are made.
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
    bool is_hidden; /* begun inside a wrapped call: its members record nothing */
};

/*
 * On the encountering thread: Enter and ThreadFork; ThreadJoin and Leave. `requested` is the number
 * of threads that was asked for; the team may be smaller. Everything that the thread has opened
 * since the begin is closed by the end.
 */
void openmp_parallel_begin(struct openmp_parallel *parallel, const void *address,
                           uint32_t requested);
void openmp_parallel_end(struct openmp_parallel *parallel);
/* The same, and openmp_member_end() of the encountering thread's implicit task before. */
void openmp_parallel_end_of(struct openmp_parallel *parallel, struct openmp_task *first);
/* The same of a league, whose initial threads are its members. */
void openmp_league_begin(struct openmp_parallel *league, const void *address, uint32_t requested);
/* An address that stands for the team that the thread works in, for `ordered`. */
const void *openmp_team_lock(void);

/* ---- tasks, implicit and explicit ---- */

/*
 * Owned by the runtime's side: zeroed before openmp_member_begin() or openmp_task_created(), and in
 * place until the task is complete and no thread is at it any more.
 */
struct openmp_task {
    struct openmp_team *team; /* NULL: not recorded */
    const void *address;      /* of the construct */
    const void *parallel;     /* of the parallel region that it belongs to */
    uint32_t creator;         /* position in the team of the thread that has created it, */
    uint32_t generation;      /* and its number there, from 1; 0: an implicit task */
    uint8_t kind;             /* OPENMP_TASK or OPENMP_TASK_UNTIED */
    bool is_hidden;           /* see struct openmp_parallel */
    bool is_planned;          /* see openmp_task_planned() */
    /* While a thread is at it, or at one that it began meanwhile: */
    struct openmp_thread *on;  /* NULL: given up, or not begun */
    struct openmp_task *below; /* what the thread was at before */
    uint32_t mark;             /* closes what it has opened */
    uint32_t base;             /* constructs that were open before it */
    struct openmp_kept *kept;  /* while it is given up: what it had open */
    struct openmp_task *next;  /* for the runtime's side, while the task is at hand */
};

/* Memory for a task, zeroed, for runtimes that give none; NULL: none left. Any thread frees it. */
struct openmp_task *openmp_task_new(void);
void openmp_task_free(struct openmp_task *task);

/*
 * The thread begins its part of the region as number `index` of the team, 0 the encountering
 * thread, and has ended it. `implicit` is its implicit task from then to then.
 */
void openmp_member_begin(struct openmp_task *implicit, const struct openmp_parallel *parallel,
                         uint32_t index);
void openmp_member_end(struct openmp_task *implicit);
/*
 * The implicit task at hand has done its part and waits in the barrier at the region's end: what it
 * has open is left, and the barrier entered. openmp_member_end() is still to come.
 */
void openmp_member_waits(void);

/*
 * The task at hand has created `task`, of OPENMP_TASK or OPENMP_TASK_UNTIED, at the time of what
 * its thread has recorded last if that is the Enter of `create task`. If it is not in that region,
 * this enters and leaves it.
 */
void openmp_task_created(struct openmp_task *task, enum openmp_kind kind, const void *address);
/*
 * The task at hand is going to create tasks like this one, of which nobody will tell before they
 * begin: each has a copy of `task`, and is recorded as created by the thread that begins it.
 */
void openmp_task_planned(struct openmp_task *task, enum openmp_kind kind, const void *address);
/*
 * The thread goes on with `task`: begins it, resumes it, or goes back to one that it was at before.
 * `is_complete`: the task at hand is at its end. Those between the two that are not are given up.
 * Returns the task at hand until now, NULL when there was no memory for the thread.
 */
struct openmp_task *openmp_task_switch(struct openmp_task *task, bool is_complete);
/*
 * The same when the task at hand is at its end but will be complete only when its event is
 * fulfilled: what it has open is left for good.
 */
void openmp_task_detach(struct openmp_task *task);
/* A task that no thread is at is complete: it was discarded, or its event was fulfilled. */
void openmp_task_complete(const struct openmp_task *task);

#endif
