/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stops its scaling is planted: `scaling.MPI serial|uneven|messages`. Rank 0 works alone for
 * 20 ms in each of 10 steps; the last rank works 1.6 times as long as it should; or each rank sends
 * 1 MiB to each other one. The rest of the work is shared. Work is sleep, so that it takes its time
 * on any number of processors.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 10, SERIAL_MS = 20, SHARED_MS = 80, MESSAGE_BYTES = 1 << 20 };

static char message[MESSAGE_BYTES];

static void work(double milliseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)(milliseconds * 1e6)}, NULL);
}

static void serial(int rank, int n)
{
    double value = 0.0;
    if (rank == 0)
        work(SERIAL_MS);
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    work((double)SHARED_MS / n);
}

static void uneven(int rank, int n)
{
    double most = n > 1 ? 1.6 : 1.0;
    work((double)SHARED_MS / n * (rank == n - 1 ? most : n > 1 ? (n - most) / (n - 1) : 1.0));
}

static void messages(int rank, int n)
{
    work((double)SHARED_MS / n);
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++) {
            if (from != to && rank == from)
                MPI_Send(message, MESSAGE_BYTES, MPI_CHAR, to, 0, MPI_COMM_WORLD);
            if (from != to && rank == to)
                MPI_Recv(message, MESSAGE_BYTES, MPI_CHAR, from, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        }
}

int main(int argc, char **argv)
{
    int rank, n;
    double value = 0.0, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < STEPS && argc > 1; i++) {
        if (strcmp(argv[1], "serial") == 0)
            serial(rank, n);
        else if (strcmp(argv[1], "uneven") == 0)
            uneven(rank, n);
        else
            messages(rank, n);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* each step */
    }
    MPI_Finalize();
    return 0;
}
