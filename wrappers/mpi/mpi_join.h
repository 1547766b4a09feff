/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Comm_join: two processes that share only a socket. Both processes make the same port name of
 * the addresses of both ends, and the process at the lesser end is the server: so both meet as at a
 * port (mpi_meet.h). A socket without two different addresses of the Internet protocols has no port
 * name. Then the processes are known to each other only if their jobs have met before.
 */
#ifndef MPI_JOIN_H
#define MPI_JOIN_H

#include "wrappers/mpi/mpi_meet.h"

enum { MPI_JOIN_PORT_BYTES = 256 };

/*
 * The port's name, of MPI_JOIN_PORT_BYTES, and the kind of meeting for this end of `fd`. False: the
 * socket has no port name. errno stays.
 */
bool mpi_join_port(int fd, char *port, enum mpi_meet_kind *kind);

/* Before the real call and after it; as mpi_meet_begin() and mpi_meet_end(). */
void mpi_join_begin(struct mpi_meet *meet, int fd);
struct mpi_comm *mpi_join_end(struct mpi_meet *meet, int ret, mpi_word new_at, bool is_recorded);

#endif
