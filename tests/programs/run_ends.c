/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of a job end badly: `run_ends HOW...` does HOW (none, MPI_Abort, abort, segv, status) on
 * rank 0, 1, ... The others wait for a message that never comes. A rank tells the line of what ends
 * it. Rank 0 is later than the others, by 20 ms.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void say(int rank, int line)
{
    printf("%d %d\n", rank, line);
    fflush(stdout);
}

__attribute__((noinline)) static void end(int rank, const char *how)
{
    volatile int *nowhere = NULL;
    const struct timespec pause = {0, 20 * 1000 * 1000};
    if (rank == 0)
        nanosleep(&pause, NULL);
    if (!strcmp(how, "MPI_Abort")) {
        say(rank, __LINE__ + 1);
        MPI_Abort(MPI_COMM_WORLD, 3);
    } else if (!strcmp(how, "abort")) {
        say(rank, __LINE__ + 1);
        abort();
    } else if (!strcmp(how, "segv")) {
        say(rank, __LINE__ + 1);
        *nowhere = 1;
    } else if (!strcmp(how, "status")) {
        say(rank, __LINE__ + 1);
        exit(5);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, got;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank + 1 < argc && strcmp(argv[rank + 1], "none") != 0)
        end(rank, argv[rank + 1]);
    if (argc > 1)
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
