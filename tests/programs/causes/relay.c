/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message goes from rank 1 to 2, 3 and 0. Rank 1 is late by what it does behind the barrier,
 * which rank 0 pays for three steps later.
 */
#include <mpi.h>
#include <unistd.h>

enum { ROUNDS = 2, SLOW_US = 500000, USUAL_US = 20000 };

int main(int argc, char **argv)
{
    int rank, size, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Barrier(MPI_COMM_WORLD); /* before the cause */
        usleep(rank == 1 ? SLOW_US : USUAL_US);
        if (rank != 1)
            MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, /* waits */
                     MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
