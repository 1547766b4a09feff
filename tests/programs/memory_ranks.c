/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that hold more memory the higher they are, while they communicate, and one of MPI's own.
 * Half of it is left at the end.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20, EACH = 32 * MIB, OF_MPI = 2 * MIB };

int main(int argc, char **argv)
{
    int rank, sum = 0;
    void *of_mpi;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const size_t half = (size_t)(rank + 1) * EACH / 2;
    char *kept = malloc(half), *given = malloc(half);
    if (!kept || !given)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memset(kept, 1, half);
    memset(given, 1, half);
    MPI_Alloc_mem(OF_MPI, MPI_INFO_NULL, &of_mpi);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Free_mem(of_mpi);
    free(given);
    MPI_Bcast(kept, EACH / 4, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return kept[half - 1] == 1 ? 0 : 2;
}
