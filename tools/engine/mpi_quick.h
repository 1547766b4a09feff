/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A shorter start and end of MPI. With the libraries of Debian 12, two ranks on one host then take
 * 0.04 s instead of 0.07 s (MPICH), 0.09 s instead of 0.35 s (Open MPI).
 */
#ifndef TOOLS_ENGINE_MPI_QUICK_H
#define TOOLS_ENGINE_MPI_QUICK_H

#include "tools/engine/job.h"

/* Before the library is opened. */
void mpi_quick_start(const struct job *job);

/* Before MPI_Finalize. */
void mpi_quick_end(void);

#endif
