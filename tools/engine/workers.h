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
    void *team; /* the row's own */
};

struct workers {
    const char *name;

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

    /* On worker 0 calls `take` for the bytes of workers 1, 2, ... in this order. */
    void (*gather)(struct worker *worker, const struct engine_bytes *mine,
                   void (*take)(void *context, const void *bytes, size_t n), void *context);
};

/* The first one that is here is taken; alone, if none is. */
extern const struct workers workers_mpi;
extern const struct workers workers_threads;
extern const struct workers workers_alone;

const struct workers *workers_choose(unsigned *n);

/* The end of the workers that are processes: only the one of worker 0 returns. */
void workers_mpi_end(void);

#endif
