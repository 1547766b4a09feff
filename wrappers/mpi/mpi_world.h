/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The identity of processes. A member of a group is known by its rank in the calling process's own
 * world: MPI_COMM_WORLD, or mpi://WORLD of a session. A process of another job is known by the
 * other job's number in this process and its rank in the other job, once both jobs have met
 * (mpi_meet.h). Calls local MPI functions only. Thread-safe.
 */
#ifndef MPI_WORLD_H
#define MPI_WORLD_H

#include "wrappers/mpi/library/mpi_library.h"

/* Is there a world of known processes? Tells the agent the rank in the world, once. */
bool mpi_world_is_known(const struct mpi_library *lib);

/*
 * The first n members of a group: ranks in the own world, or number << 32 | rank. `room` holds 2 *
 * n. False when a member is a stranger.
 */
bool mpi_world_members(const struct mpi_library *lib, mpi_word group, int n, int *room,
                       uint64_t *members);

/* Are all n members of the group known? Of the own world, if `is_own`? */
bool mpi_world_knows(const struct mpi_library *lib, mpi_word group, int n, bool is_own);

/* A session has been opened, or is about to be closed: by its handle. */
void mpi_world_session_opened(mpi_word session);
void mpi_world_session_closed(mpi_word session);
/* Has a session been opened? */
bool mpi_world_had_session(void);

/*
 * The members of a group, readable by another process: lines "PROCESS FIRST COUNT", the ranks FIRST
 * and following of the job of this process. NULL: a member is a stranger, or no memory; else agent
 * memory of *room bytes.
 */
char *mpi_world_roster(const struct mpi_library *lib, mpi_word group, int n, size_t *room);
/* The roster of this process's own job, as far as known before MPI_Init. */
void mpi_world_own_roster(int size, char *text, size_t room);

/*
 * The n members of `group`, given away by the caller, are the members of the roster. False when the
 * roster has another number of members.
 */
bool mpi_world_met(mpi_word group, int n, const char *roster);
/* The number of members of a roster; -1: no roster. */
int mpi_world_count(const char *roster);

/* MPI_Finalize is about to be called: objects of MPI kept by the module go back. */
void mpi_world_finalize(void);

#endif
