/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks of MPI_COMM_WORLD exchange definitions at the end: by messages over a communicator
 * of our own. So no receive of the program meets what we send, not even one of any source and tag
 * that it has left open.
 */
#ifndef MPI_TRANSPORT_H
#define MPI_TRANSPORT_H

#include "agent/spur_agent.h"

/*
 * Collective over MPI_COMM_WORLD. False when there is no such communicator; then there is none
 * anywhere, and nothing was sent.
 */
bool mpi_transport_open(struct spur_transport *transport);
void mpi_transport_close(struct spur_transport *transport);

#endif
