/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plug-in that uses an MPI library of its own: built once per library. Its functions end in calls
 * of MPI functions, so that the compiler makes jumps of them.
 */
#include <mpi.h>
#include <stdio.h>

#include "plugin.h"

static int rank, size;
static MPI_Comm ring;

__attribute__((optimize("O2"))) static int start(void)
{
    int initialised;
    MPI_Initialized(&initialised);
    if (initialised)
        return 1;
    return MPI_Init(NULL, NULL);
}

static int begin(void)
{
    int failed = start();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    failed |= MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    return failed;
}

static int talk(int round)
{
    int next = (rank + 1) % size, last = (rank + size - 1) % size;
    int out = 100 * rank + round, in = -1, sum = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&in, 1, MPI_INT, last, round, ring, &request);
    MPI_Send(&out, 1, MPI_INT, next, round, ring);
    MPI_Wait(&request, &status);
    if (in != 100 * last + round || status.MPI_SOURCE != last || status.MPI_TAG != round)
        return 1;
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, ring);
    return sum != 100 * (size * (size - 1) / 2) + size * round;
}

__attribute__((optimize("O2"))) static int end(void)
{
    MPI_Comm_free(&ring);
    if (rank == 0) {
        printf("%s: %d ranks\n", LIBRARY, size);
        fflush(stdout);
    }
    return MPI_Finalize();
}

extern const struct plugin plugin;
const struct plugin plugin = {begin, talk, end};
