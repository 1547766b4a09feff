/* SPDX-License-Identifier: BSD-3-Clause */
/* How the ranks of MPI_COMM_WORLD exchange definitions at the end: collective operations in bytes.
 */
#ifndef MPI_TRANSPORT_H
#define MPI_TRANSPORT_H

#include "agent/spur_agent.h"

/* False when the library lacks what is needed; then nothing was sent. `alloc` is left to the agent.
 */
bool mpi_transport_init(struct spur_transport *transport);

#endif
