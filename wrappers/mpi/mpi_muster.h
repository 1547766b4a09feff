/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Are all processes of MPI_COMM_WORLD traced? An untraced process (its starter has cleared
 * LD_PRELOAD, or the program is linked statically) never answers, so nothing may be sent before the
 * answer is known. All traced processes must give the same answer, or part of the processes would
 * wait for the rest.
 *
 * The processes agree through notes of the session (spur_agent.h). Each process leaves a note
 * before the real MPI_Init. Inside of MPI_Init the processes wait for each other, so all notes are
 * there when MPI_Init returns. The first process of each host then counts the notes, and the answer
 * is a note that can be made once. All later processes of the host wait for the answer, at most
 * MPI_NOTE_PATIENCE_MS. A process that finds its place taken, or cannot leave its note, gives the
 * answer "no" before going into MPI_Init.
 *
 *   - here-JOB.RANK: this process is traced. first-JOB.HOST: the job's first process on that host.
 *   - whole-JOB: "yes" if all of the job are traced.
 */
#ifndef MPI_MUSTER_H
#define MPI_MUSTER_H

#include <stdbool.h>

/* Before MPI_Init and afterwards, in a job with `size` processes. Once a process. */
void mpi_muster_begin(void);
void mpi_muster_end(int size);

/* The same answer in all traced processes; false before the answer is known. */
bool mpi_muster_is_complete(void);

/* The same for a job, by the starter's name of the job. The first call decides. */
bool mpi_muster_of(const char *job, int size);

#endif
