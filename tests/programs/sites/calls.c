/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes calls of MPI in several places, and says where. With an argument all die by SIGKILL after
 * the first barrier.
 */
#include <mpi.h>
#include <signal.h>

#include "said.h"

static int rank, size;

static inline __attribute__((always_inline)) void send_inlined(int *value, int to)
{
    AT(MPI_Send, value, 1, MPI_INT, to, 1, MPI_COMM_WORLD);
}

static __attribute__((noinline)) void exchange(int *value, int from, int to)
{
    MPI_Request request;
    AT(MPI_Irecv, value, 1, MPI_INT, from, 2, MPI_COMM_WORLD, &request);
    AT(MPI_Send, value, 1, MPI_INT, to, 2, MPI_COMM_WORLD);
    AT(MPI_Wait, &request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int value = 1, sum;
    AT(MPI_Init, &argc, &argv);
    AT(MPI_Comm_rank, MPI_COMM_WORLD, &rank);
    AT(MPI_Comm_size, MPI_COMM_WORLD, &size);
    for (int i = 0; i < 3; i++)
        exchange(&value, (rank + size - 1) % size, (rank + 1) % size);
    if (rank == 0)
        send_inlined(&value, 1);
    if (rank == 0)
        send_inlined(&value, 1);
    for (int i = 0; i < 2 && rank == 1; i++)
        AT(MPI_Recv, &value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    AT(MPI_Barrier, MPI_COMM_WORLD);
    if (argc > 1)
        raise(SIGKILL);
    AT(MPI_Allreduce, &value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    AT(MPI_Barrier, MPI_COMM_WORLD);
    AT(MPI_Finalize);
    return 0;
}
