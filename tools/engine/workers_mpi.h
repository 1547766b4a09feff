/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What workers that are threads of ranks need of the ranks. Of each rank one thread calls these
 * functions, the one that has called engine_start(); all ranks call them in the same order.
 */
#ifndef TOOLS_ENGINE_WORKERS_MPI_H
#define TOOLS_ENGINE_WORKERS_MPI_H

#include "tools/engine/workers.h"

unsigned mpi_rank(void);
unsigned mpi_ranks(void);
bool mpi_allows_threads(void); /* which do not call it */

/* From its beginning to its end, a failure is for all ranks. */
void mpi_run(bool is_running);

/* As in struct workers, for ranks. */
void mpi_reduce(uint64_t *least, uint64_t *sums, unsigned n);

/* By rank: `n` words for it, for as many from it. */
void mpi_swap(const uint64_t *mine, uint64_t *theirs, unsigned n);

/* A message. Of one that comes in the length is known. */
struct mpi_message {
    unsigned rank; /* the other one */
    unsigned tag;
    struct engine_bytes bytes;
};

/* What comes in is borrowed until mpi_done(). */
void mpi_pass(struct mpi_message *out, size_t n_out, struct mpi_message *in, size_t n_in);
void *mpi_hold(size_t bytes); /* memory until then */
void mpi_done(void);

#endif
