/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers and how they meet. Each way to have several is a row of functions: threads of this
 * process, processes of MPI. All functions but `is_here` and `run` are called by all workers, in
 * the same order.
 */
#ifndef TOOLS_ENGINE_WORKERS_H
#define TOOLS_ENGINE_WORKERS_H

#include "tools/engine/engine.h"

struct worker {
    const struct workers *how;
    unsigned rank, size;
    void *team;      /* the row's own */
    unsigned thread; /* of its process */
};

struct workers {
    const char *name;
    bool is_shared; /* the workers see each other's memory */

    /* Whether there are workers of this way; *n is how many threads are wanted, becomes how many.
     */
    bool (*is_here)(unsigned *n);

    /* Calls `work` for each worker of this process; ends when all have returned. */
    void (*run)(unsigned n, void (*work)(struct worker *worker, void *context), void *context);

    /* *least becomes the least of all workers, each of the n sums the sum of theirs. */
    void (*reduce)(struct worker *worker, uint64_t *least, uint64_t *sums, unsigned n);

    /*
     * out[i] goes to worker i, in[i] comes from worker i (its own too) and is borrowed until
     * done(). What is given out stays as it is until then.
     */
    void (*exchange)(struct worker *worker, const struct engine_bytes *out,
                     struct engine_bytes *in);
    void (*done)(struct worker *worker);

    /*
     * A step of a tree: what the workers of the ranks step, 3 step, 5 step, ... have goes to the
     * one that is `step` before. *theirs is what comes from worker `rank + step`, and is borrowed
     * until done(); false: nobody is there, or this worker takes nothing in this step.
     */
    bool (*climb)(struct worker *worker, unsigned step, const struct engine_bytes *mine,
                  struct engine_bytes *theirs);
};

/* What a worker does in a step of the tree. */
static inline bool worker_gives(const struct worker *w, unsigned step)
{
    return w->rank / step % 2 && w->rank % step == 0;
}

static inline bool worker_takes(const struct worker *w, unsigned step)
{
    return w->rank / step % 2 == 0 && w->rank % step == 0 && w->size - w->rank > step;
}

/* The first one that is here is taken; alone, if none is. */
extern const struct workers workers_mixed;
extern const struct workers workers_mpi;
extern const struct workers workers_threads;
extern const struct workers workers_alone;

const struct workers *workers_choose(unsigned *n);

/*
 * By all ranks: how many threads each is to have: so many (0: it was not asked for), or what the
 * processors of its host allow. Without a call it has one.
 */
void workers_mixed_ask(unsigned n);

/* By all ranks: how many threads this one would have then. */
unsigned workers_mixed_count(unsigned n);

/* The end of the workers that are processes: only the one of worker 0 returns. */
void workers_mpi_end(void);

#endif
