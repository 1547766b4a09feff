/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The same work on any number of ranks, unevenly: the last one has twice as much as the others, and
 * a part of it they do one after the other. Each tells how long it worked, and was there.
 */
#include <mpi.h>

#include "truth.h"

enum { EVEN_MS = 200, CHAIN_MS = 60 };

static int64_t in_mpi, since;

static void spin(double milliseconds)
{
    int64_t end = truth_wall() + (int64_t)(milliseconds * TRUTH_MS);
    while (truth_wall() < end)
        ;
}

static void enter(void)
{
    since = truth_wall();
}

static void leave(void)
{
    in_mpi += truth_wall() - since;
}

/* Each works when the one before it is ready. */
static void chain(int rank, int n)
{
    int value = 0;
    enter();
    if (rank)
        MPI_Recv(&value, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    leave();
    spin((double)CHAIN_MS / n);
    enter();
    if (rank + 1 < n)
        MPI_Send(&value, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    leave();
}

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    int64_t begin = truth_wall();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    spin((double)EVEN_MS * (rank == n - 1 ? 2 : 1) / (n + 1));
    chain(rank, n);
    enter();
    MPI_Barrier(MPI_COMM_WORLD);
    leave();
    int64_t took = truth_wall() - begin;
    printf("work%d %lld\nruntime%d %lld\n", rank, (long long)(took - in_mpi), rank,
           (long long)took);
    MPI_Finalize();
    return 0;
}
