/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For many ranks on few processors: as little waiting as possible, and definitions of which each
 * rank has some of its own and some in common with half of the others.
 */
#include <mpi.h>
#include <stdio.h>

#include "expect.h"

int main(int argc, char **argv)
{
    int rank, size, got = -1;
    char name[32];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    snprintf(name, sizeof name, "half %d", rank % 2);
    MPI_Comm_set_name(half, name);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT,
                 (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(got == (rank + size - 1) % size);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return unexpected;
}
