/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of an MPI job, for the files that exchange messages with ranks. */
#ifndef TOOLS_ENGINE_MPI_TEAM_H
#define TOOLS_ENGINE_MPI_TEAM_H

#include "tools/engine/job_watch.h"
#include "tools/engine/mpi_door.h"
#include "tools/engine/workers_mpi.h"

struct mpi_team {
    struct mpi_door door;
    bool is_open; /* MPI is initialised */
    bool is_running, allows_threads;
    int rank, size;
    int stderr_real;   /* standard error of a rank that must not write there */
    mpi_word type, op; /* cells: of a struct reduced, and of joining two of the structs */
    struct mpi_held *held;
    struct job_watcher watcher;
};

extern struct mpi_team mpi_team;

/* Checks a call of the library, which must not fail. */
void mpi_check(int error, const char *what);

/* Requests of a library of any family: a request takes a word, a narrow request half a word. */
struct mpi_requests {
    char *at;
    int n;
};

void *mpi_next_request(struct mpi_requests *r);
void mpi_wait_for(struct mpi_requests *r);

/*
 * In a run, by a rank that is to end all ranks, on another host than the first rank: tells the
 * first rank.
 */
void mpi_ask_to_say(void);

/* By the first rank while waiting: looks whether another rank has asked. */
void mpi_hear(void);

/* Around calls of the library while other threads work: another thread may fail, and ask. */
void mpi_take(void);
void mpi_leave(void);

/* As in struct workers. */
void mpi_exchange(struct worker *worker, const struct engine_bytes *out, struct engine_bytes *in);
bool mpi_climb(struct worker *worker, unsigned step, const struct engine_bytes *mine,
               struct engine_bytes *theirs);

#endif
