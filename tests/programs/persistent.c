/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Persistent requests: ROUNDS times Start or Startall of one receive and one send of each kind, and
 * an active send that is freed. Per rank: 3 * ROUNDS + 1 messages.
 */
#include <mpi.h>

#include "expect.h"

#define ROUNDS 10
#define KINDS 3

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;

    int out[KINDS], in[KINDS];
    MPI_Request requests[2 * KINDS];
    for (int kind = 0; kind < KINDS; kind++)
        MPI_Recv_init(&in[kind], 1, MPI_INT, last, kind, MPI_COMM_WORLD, &requests[kind]);
    MPI_Send_init(&out[0], 1, MPI_INT, next, 0, MPI_COMM_WORLD, &requests[KINDS]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, next, 1, MPI_COMM_WORLD, &requests[KINDS + 1]);
    MPI_Send_init(&out[2], 1, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[KINDS + 2]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int kind = 0; kind < KINDS; kind++)
            out[kind] = rank * 100 + round + kind;
        if (round % 2) {
            for (int i = 0; i < 2 * KINDS; i++)
                MPI_Start(&requests[i]);
            for (int i = 0; i < 2 * KINDS; i++)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        } else {
            MPI_Startall(2 * KINDS, requests);
            MPI_Waitall(2 * KINDS, requests, MPI_STATUSES_IGNORE);
        }
        for (int kind = 0; kind < KINDS; kind++)
            EXPECT(in[kind] == last * 100 + round + kind);
    }
    int done = 0;
    MPI_Testall(2 * KINDS, requests, &done, MPI_STATUSES_IGNORE); /* all are inactive */
    EXPECT(done);
    for (int i = 0; i < 2 * KINDS; i++)
        MPI_Request_free(&requests[i]);

    static int kept = 5;
    MPI_Request request;
    MPI_Isend(&kept, 1, MPI_INT, next, 60, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv(&in[0], 1, MPI_INT, last, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in[0] == 5);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d persistent rounds\n", ROUNDS);
    MPI_Finalize();
    return unexpected;
}
