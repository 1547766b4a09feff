/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Workers and how they meet. Each kind of several workers is a row of functions: threads of the
 * process, processes of MPI. All functions except `is_here` and `run` are called by all workers, in
 * the same order.
 */
#ifndef TOOLS_ENGINE_WORKERS_H
#define TOOLS_ENGINE_WORKERS_H

#include "tools/engine/engine.h"

struct worker {
    const struct workers *how;
    unsigned rank, size;
    void *team;      /* private to the row */
    unsigned thread; /* number of the thread in its process */
};

struct workers {
    const char *name;
    bool is_shared; /* the workers see each other's memory */

    /*
     * Whether workers of this kind are available; *n is the wanted number of threads, and becomes
     * the number of workers.
     */
    bool (*is_here)(unsigned *n);

    /* Calls `work` for each worker of the process; ends when all calls have returned. */
    void (*run)(unsigned n, void (*work)(struct worker *worker, void *context), void *context);

    /*
     * *least becomes the least value of all workers, each of the n sums the sum over all workers.
     */
    void (*reduce)(struct worker *worker, uint64_t *least, uint64_t *sums, unsigned n);

    /*
     * out[i] goes to worker i. in[i] comes from worker i (the own worker too) and is borrowed until
     * done(). The bytes given out stay unchanged until then.
     */
    void (*exchange)(struct worker *worker, const struct engine_bytes *out,
                     struct engine_bytes *in);
    void (*done)(struct worker *worker);

    /*
     * A step of a tree: the results of the workers step, 3 step, 5 step, ... go to the worker
     * `step` places before. *theirs is the result of worker `rank + step`, and is borrowed until
     * done(). False: no worker is there, or the calling worker takes nothing in the step.
     */
    bool (*climb)(struct worker *worker, unsigned step, const struct engine_bytes *mine,
                  struct engine_bytes *theirs);
};

/* Whether a worker gives or takes in a step of the tree. */
static inline bool worker_gives(const struct worker *w, unsigned step)
{
    return w->rank / step % 2 && w->rank % step == 0;
}

static inline bool worker_takes(const struct worker *w, unsigned step)
{
    return w->rank / step % 2 == 0 && w->rank % step == 0 && w->size - w->rank > step;
}

/* Chooses the first available kind of workers; workers_alone, if no kind is available. */
extern const struct workers workers_mixed;
extern const struct workers workers_mpi;
extern const struct workers workers_threads;
extern const struct workers workers_alone;

const struct workers *workers_choose(unsigned *n);

/*
 * By all ranks: sets the number of threads of each rank to `n` (0: not asked for), or to the number
 * that the processors of its host allow. Without a call each rank has a single thread.
 */
void workers_mixed_ask(unsigned n);

/* By all ranks: the number of threads that the calling rank would have then. */
unsigned workers_mixed_count(unsigned n);

/* The end of the workers that are processes: only the process of worker 0 returns. */
void workers_mpi_end(void);

#endif
