/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual topologies that the trace describes: Cartesian ones; for graphs OTF2 has no record. */
#ifndef MPI_TOPOLOGY_H
#define MPI_TOPOLOGY_H

#include "wrappers/mpi/mpi_comm.h"

/*
 * Define the Cartesian topology of the communicator behind `handle` as that of `comm`, and the
 * calling process's place in it; nothing where there is none. Calls local MPI functions only.
 */
void mpi_topology_define(const struct mpi_library *lib, const struct mpi_comm *comm,
                         mpi_word handle);

#endif
