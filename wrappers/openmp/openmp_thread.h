/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the family knows of a thread, and of the teams that it has forked. A thread's own is touched
 * by this thread only, with the depth guard up. When the thread has ended another one takes it
 * over.
 */
#ifndef WRAPPERS_OPENMP_THREAD_H
#define WRAPPERS_OPENMP_THREAD_H

#include <stdatomic.h>

#include "wrappers/kit/wrapper_lock.h"
#include "wrappers/openmp/openmp_records.h"

/* A construct that a task has entered. */
struct openmp_open {
    const void *address;
    uint32_t mark; /* SPUR_NOT_OPEN: not recorded */
    uint8_t kind;
    bool is_held; /* with `hold` */
    struct spur_hold hold;
};

/* A lock of the API that the thread holds. */
struct openmp_held {
    const void *lock;
    struct spur_hold hold;
};

enum { OPENMP_KNOWN = 16, OPENMP_PATH_BYTES = 32 };

/*
 * A team: the thread that forks it, what it is nested in, and how many threads are asked for. It is
 * the same one whenever these are. Freed with the thread.
 */
struct openmp_team {
    struct openmp_team *next; /* of the thread that forks it */
    OTF2_CommRef comm;
    OTF2_CommRef parent;
    uint32_t size;
    uint32_t number;              /* for spur_def_team_member() */
    char path[OPENMP_PATH_BYTES]; /* names of threads: "1." of those forked by number 1 */
    struct wrapper_lock lock; /* for what follows, which changes when a thread first meets a team */
    uint32_t room;
    uint32_t *member; /* serial of the thread at each position, 0: none yet */
};

struct openmp_thread {
    uint32_t generation; /* of the process */
    uint32_t serial;     /* unlike any other thread's, from 1 */
    bool is_named;
    uint64_t at;              /* openmp_at() */
    struct openmp_task *task; /* at hand; never NULL */
    struct openmp_task own;   /* outside of parallel regions */
    struct openmp_task late;  /* see begin_late() in openmp_task.c */
    uint32_t created;         /* tasks so far */
    uint32_t n_open, open_room;
    struct openmp_open *open;
    uint32_t n_held, held_room;
    struct openmp_held *held;
    struct openmp_team *teams; /* that it forks, the last one first */
    struct {
        OTF2_CommRef comm;
        uint32_t position_plus_1;
    } known[OPENMP_KNOWN]; /* its positions in teams */
    struct openmp_task *free_tasks;
    struct openmp_thread *next; /* of those without a thread */
};

/* The calling thread's; NULL: no memory. The guard is up. */
struct openmp_thread *openmp_thread_self(void);

/* One call of the family's functions. */
struct openmp_here {
    struct openmp_thread *thread;
    struct spur_loc *loc; /* NULL: nothing is recorded now */
};

/* What a call records: nothing, or something that begins, or goes on or ends. */
enum openmp_what {
    OPENMP_NOTHING,
    OPENMP_BEGINS,
    OPENMP_FOLLOWS, /* begins; in `create task` at the time of what was recorded last */
    OPENMP_ENDS
};

/*
 * False: the call comes from inside a wrapped one, or there is no memory. Else openmp_here_end() is
 * due.
 */
bool openmp_here_begin(struct openmp_here *here, enum openmp_what what);
void openmp_here_end(const struct openmp_here *here);

/* The team; NULL when it cannot be recorded. */
struct openmp_team *openmp_team_find(const struct openmp_here *here, OTF2_CommRef parent,
                                     uint32_t size, const char *path);
/* The thread's position in a team, which it joins if it has none; number `index` if that is free.
 */
uint32_t openmp_team_join(const struct openmp_here *here, struct openmp_team *team, uint32_t index);
void openmp_teams_free(struct openmp_thread *thread);

/* Is the innermost construct that the task at hand has open of that kind? `thread` may be NULL. */
static inline bool openmp_is_at(const struct openmp_thread *thread, enum openmp_kind kind)
{
    return thread && thread->n_open > thread->task->base &&
           thread->open[thread->n_open - 1].kind == kind;
}

/* Enter the region of a construct, or note that it is not recorded: false. */
bool openmp_push(const struct openmp_here *here, enum openmp_kind kind, const void *address);
/* Leave the constructs from number `n` on. */
void openmp_pop_to(const struct openmp_here *here, uint32_t n);
/* The task at hand's innermost construct of that kind: its number, or UINT32_MAX. */
uint32_t openmp_find(const struct openmp_thread *thread, enum openmp_kind kind);

#endif
