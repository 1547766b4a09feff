/* SPDX-License-Identifier: BSD-3-Clause */
/* The start and the end of MPI. */
#ifndef MPI_INIT_H
#define MPI_INIT_H

#include "agent/spur_agent.h"
#include "wrappers/mpi/library/mpi_library.h"

/* MPI_Session_init has returned: `session_at` is the address of the new handle. */
void mpi_session_opened(mpi_word session_at);

/*
 * Are all processes of MPI_COMM_WORLD traced, so that the processes may exchange messages? The same
 * answer in all processes.
 */
bool mpi_job_is_traced(void);

/* SPUR_WRAP leaves MPI out, or SPUR_MPI all of its groups. */
extern bool mpi_is_off;

/*
 * Until the end of the block a call runs without records. Acts of MPI itself in the block, such as
 * its transport's locks, are not the program's doing and are not recorded either. The end comes on
 * every way out: the program's error handler may throw.
 */
#define MPI_UNRECORDED(name)                                                                       \
    const bool name __attribute__((cleanup(mpi_unrecorded_end), unused)) = mpi_unrecorded_begin()

static inline bool mpi_unrecorded_begin(void)
{
    spur_inside_begin();
    return true;
}

static inline void mpi_unrecorded_end(const bool *guard)
{
    (void)guard;
    spur_inside_end();
}

#endif
