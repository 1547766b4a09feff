/* SPDX-License-Identifier: BSD-3-Clause */
/* The last rank reads from where nothing is, in a thread, while the others wait for it. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

static int *volatile nowhere;

static __attribute__((noinline)) int solve(void)
{
    return *nowhere;
}

static void *work(void *unused)
{
    return solve() ? unused : NULL;
}

int main(int argc, char **argv)
{
    int rank, size;
    pthread_t thread;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == size - 1 && pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
