/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are all processes of MPI_COMM_WORLD traced? One that is not (its starter has cleared LD_PRELOAD,
 * or it is linked statically) never answers, so that nothing may be sent before this is known; and
 * all that are traced must give the same answer, or some would wait for the others.
 *
 * They agree through notes of the session (spur_agent.h). Each leaves one before the real MPI_Init,
 * inside of which the processes wait for each other; so all notes are there when it returns. The
 * first process of each host then counts them, and the answer is a note that can be made
 * once; the others of its host wait for that, at most MPI_NOTE_PATIENCE_MS. A process that finds
 * its place taken, or cannot leave its note, gives the answer "no" before it goes into MPI_Init.
 *
 *   - here-JOB.RANK: this process is traced. first-JOB.HOST: its first process on that host.
 *   - whole-JOB: "yes" if all of the job are traced.
 */
#ifndef MPI_MUSTER_H
#define MPI_MUSTER_H

#include <stdbool.h>

/* Before MPI_Init and after it, in a job that has `size` processes. Once a process. */
void mpi_muster_begin(void);
void mpi_muster_end(int size);

/* The same answer in all processes that are traced; false before it is known. */
bool mpi_muster_is_complete(void);

/* The same for a job, by the name that its starter knows. The first call decides. */
bool mpi_muster_of(const char *job, int size);

#endif
