/* SPDX-License-Identifier: BSD-3-Clause */
/* The start and the end of MPI. */
#ifndef MPI_INIT_H
#define MPI_INIT_H

#include "agent/spur_agent.h"

/* SPUR_WRAP leaves MPI out. */
extern bool mpi_is_off;

/*
 * Around a call that is not recorded. What MPI itself does in there, such as its transport's locks,
 * is not the program's doing and is not recorded either.
 */
static inline void mpi_unrecorded_begin(void)
{
    if (mpi_is_off)
        spur_inside_begin();
}

static inline void mpi_unrecorded_end(void)
{
    if (mpi_is_off)
        spur_inside_end();
}

#endif
