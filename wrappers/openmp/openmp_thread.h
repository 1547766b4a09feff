/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The family's data of a thread, and of the teams that the thread has forked. Only the thread
 * itself uses its data, with the depth guard up. When the thread has ended, another thread takes
 * the data over.
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
 * A team, identified by the forking thread, the surrounding nest, and the number of requested
 * threads. Regions with equal values have the same team. Freed with the thread.
 */
struct openmp_team {
    struct openmp_team *next; /* of the forking thread */
    OTF2_CommRef comm;
    OTF2_CommRef parent;
    uint32_t size;
    uint32_t number;              /* for spur_def_team_member() */
    char path[OPENMP_PATH_BYTES]; /* names of threads: "1." of the threads forked by number 1 */
    struct wrapper_lock lock; /* for all that follows: changes when a thread first meets the team */
    uint32_t room;
    uint32_t *member; /* serial of the thread at each position, 0: still free */
};

struct openmp_thread {
    uint32_t generation; /* of the process */
    uint32_t serial;     /* differs between all threads, from 1 */
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
    struct openmp_team *teams; /* forked by the thread, the last team first */
    struct {
        OTF2_CommRef comm;
        uint32_t position_plus_1;
    } known[OPENMP_KNOWN]; /* the thread's positions in teams */
    struct openmp_task *free_tasks;
    struct openmp_thread *next; /* of the free data */
};

/* The data of the calling thread; NULL: no memory. The guard is up. */
struct openmp_thread *openmp_thread_self(void);

/* One call of the family's functions. */
struct openmp_here {
    struct openmp_thread *thread;
    struct spur_loc *loc; /* NULL: nothing is recorded now */
};

/* The records of a call: none, or of a begin, or of a continuation or an end. */
enum openmp_what {
    OPENMP_NOTHING,
    OPENMP_BEGINS,
    OPENMP_FOLLOWS, /* begins; in `create task` at the time of the last record */
    OPENMP_ENDS
};

/*
 * False: the call comes from inside a wrapped call, or there is no memory. Else openmp_here_end()
 * is due.
 */
bool openmp_here_begin(struct openmp_here *here, enum openmp_what what);
void openmp_here_end(const struct openmp_here *here);

/* The team; NULL when the team cannot be recorded. */
struct openmp_team *openmp_team_find(const struct openmp_here *here, OTF2_CommRef parent,
                                     uint32_t size, const char *path);
/* The thread's position in a team. A thread without a position joins the team: at position `index`
 * if free. */
uint32_t openmp_team_join(const struct openmp_here *here, struct openmp_team *team, uint32_t index);
void openmp_teams_free(struct openmp_thread *thread);

/* Is the innermost open construct of the task at hand of the kind? `thread` may be NULL. */
static inline bool openmp_is_at(const struct openmp_thread *thread, enum openmp_kind kind)
{
    return thread && thread->n_open > thread->task->base &&
           thread->open[thread->n_open - 1].kind == kind;
}

/* Enter the region of a construct, or note the construct as not recorded: false. */
bool openmp_push(const struct openmp_here *here, enum openmp_kind kind, const void *address);
/* Leave the constructs from number `n` on. */
void openmp_pop_to(const struct openmp_here *here, uint32_t n);
/* The innermost construct of the kind of the task at hand: its number, or UINT32_MAX. */
uint32_t openmp_find(const struct openmp_thread *thread, enum openmp_kind kind);

#endif
