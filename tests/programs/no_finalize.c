/* SPDX-License-Identifier: BSD-3-Clause */
/* Two rounds of a ring, then every rank returns from main without MPI_Finalize. */
#include <mpi.h>
#include <unistd.h>

#include "expect.h"

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size, got = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int round = 0; round < 2; round++)
        MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, round, &got, 1, MPI_INT,
                     (rank + size - 1) % size, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(got == (rank + size - 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(300000); /* the first one to leave gets the others killed: let all leave the barrier */
    return unexpected;
}
