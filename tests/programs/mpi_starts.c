/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI-4: persistent collective operations, which each rank starts in an order of its own, and
 * messages in partitions beside plain ones of the same envelope. Needs 2 ranks. Without MPI-4 there
 * is nothing to do.
 */
#include <mpi.h>

#include "expect.h"

static int rank, size;

#if MPI_VERSION >= 4

enum { ROUNDS = 3, OPERATIONS = 4, PARTS = 4 };

/* Matched by the order of the *_init, also with what is not persistent between them. */
static void collectives(MPI_Comm comm)
{
    int value[2] = {0}, sum[2] = {0};
    MPI_Request request[OPERATIONS];
    MPI_Allreduce_init(&rank, &sum[0], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[0]);
    MPI_Bcast_init(&value[0], 1, MPI_INT, 0, comm, MPI_INFO_NULL, &request[1]);
    MPI_Barrier(comm);
    MPI_Bcast_init(&value[1], 1, MPI_INT, 1, comm, MPI_INFO_NULL, &request[2]);
    MPI_Allreduce_init(&size, &sum[1], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request[3]);
    for (int round = 0; round < ROUNDS; round++) {
        value[0] = value[1] = 10 * rank + round;
        for (int i = 0; i < OPERATIONS; i++) /* round by round and rank by rank another order */
            MPI_Start(&request[(i * (rank % 2 ? 3 : 1) + rank + round) % OPERATIONS]);
        MPI_Waitall(OPERATIONS, request, MPI_STATUSES_IGNORE);
        EXPECT(value[0] == round && value[1] == 10 + round);
        EXPECT(sum[0] == size * (size - 1) / 2 && sum[1] == size * size);
        MPI_Barrier(comm);
    }
    for (int i = 0; i < OPERATIONS; i++)
        MPI_Request_free(&request[i]);
}

/* One envelope; the messages differ in their length by their kind. */
static void partitions(MPI_Comm comm)
{
    int parts[PARTS] = {1, 2, 3, 4}, plain[2] = {5, 6};
    MPI_Request request;
    if (rank == 0) {
        MPI_Psend_init(parts, PARTS, 1, MPI_INT, 1, 7, comm, MPI_INFO_NULL, &request);
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Start(&request);
            MPI_Send(plain, 2, MPI_INT, 1, 7, comm);
            MPI_Pready_range(0, PARTS - 1, request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Request_free(&request);
    } else if (rank == 1) {
        int got[PARTS] = {0}, two[2] = {0};
        MPI_Precv_init(got, PARTS, 1, MPI_INT, 0, 7, comm, MPI_INFO_NULL, &request);
        for (int round = 0; round < ROUNDS; round++) {
            MPI_Recv(two, 2, MPI_INT, 0, 7, comm, MPI_STATUS_IGNORE);
            MPI_Start(&request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT(two[0] == 5 && got[PARTS - 1] == 4);
        }
        MPI_Request_free(&request);
    }
    MPI_Barrier(comm);
}

#endif

int main(int argc, char **argv)
{
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
#if MPI_VERSION >= 4
    collectives(MPI_COMM_WORLD);
    collectives(twin);
    partitions(twin);
#endif
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return unexpected;
}
