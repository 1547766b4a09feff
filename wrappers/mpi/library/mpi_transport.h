/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the ranks of MPI_COMM_WORLD exchange definitions at the end: messages over a communicator of
 * our own, so that no receive of the program, not even one of any source and tag that it has left
 * open, meets what we send.
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
