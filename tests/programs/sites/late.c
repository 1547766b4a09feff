/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 0 waits in one place for rank 1, which sleeps before it sends. */
#include <mpi.h>

#include "said.h"

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 4; i++) {
        if (rank == 1)
            usleep(100000);
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        if (rank == 0)
            AT(MPI_Recv, &value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
