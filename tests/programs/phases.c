/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks: the first works long, and sends; the other works little, and waits for it. Each tells
 * the CPU time of its work, the time of its calls of MPI, and all from the end of MPI_Init to the
 * begin of MPI_Finalize.
 */
#include <mpi.h>

#include "truth.h"

enum { ROUNDS = 6, MUCH_MS = 100, LITTLE_MS = 30 };

__attribute__((noinline)) static int64_t work(int milliseconds)
{
    return truth_burn(milliseconds);
}

int main(int argc, char **argv)
{
    int rank, value = 0, sum;
    int64_t working = 0, calling = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int64_t first = truth_wall();
    for (int i = 0; i < ROUNDS; i++) {
        working += work(rank == 0 ? MUCH_MS : LITTLE_MS);
        int64_t begin = truth_wall();
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else if (rank == 1)
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        calling += truth_wall() - begin;
        working += work(rank == 1 ? MUCH_MS / 2 : LITTLE_MS);
        begin = truth_wall();
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        calling += truth_wall() - begin;
    }
    int64_t all = truth_wall() - first;
    char line[160];
    snprintf(line, sizeof line, "work%d %lld\nmpi%d %lld\nall%d %lld\n", rank, (long long)working,
             rank, (long long)calling, rank, (long long)all);
    fputs(line, stdout);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
