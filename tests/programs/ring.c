/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A token runs ROUNDS times round the ring by blocking calls, then every blocking kind of send is
 * used once per rank. Per rank: ROUNDS + 5 sends, ROUNDS + 5 receives.
 */
#include <mpi.h>
#include <stdlib.h>

#include "expect.h"

#define ROUNDS 10

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int next = (rank + 1) % size, last = (rank + size - 1) % size;

    int token = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (rank == 0) {
            MPI_Send(&token, 1, MPI_INT, next, round, MPI_COMM_WORLD);
            MPI_Recv(&token, 1, MPI_INT, last, round, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT(token == (round + 1) * (size - 1));
        } else {
            MPI_Status status;
            MPI_Recv(&token, 1, MPI_INT, last, round, MPI_COMM_WORLD, &status);
            EXPECT(status.MPI_SOURCE == last && status.MPI_TAG == round);
            token++;
            MPI_Send(&token, 1, MPI_INT, next, round, MPI_COMM_WORLD);
        }
    }

    double row[100], got[100];
    for (int i = 0; i < 100; i++)
        row[i] = rank * 1000 + i;
    MPI_Sendrecv(row, 100, MPI_DOUBLE, next, 50, got, 100, MPI_DOUBLE, last, 50, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(got[99] == last * 1000 + 99);
    MPI_Sendrecv_replace(row, 100, MPI_DOUBLE, next, 51, last, 51, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    EXPECT(row[0] == last * 1000);

    int bytes = 0;
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &bytes);
    bytes += MPI_BSEND_OVERHEAD;
    void *space = malloc((size_t)bytes);
    MPI_Buffer_attach(space, bytes);
    MPI_Bsend(&rank, 1, MPI_INT, next, 52, MPI_COMM_WORLD);
    MPI_Recv(&token, 1, MPI_INT, last, 52, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(token == last);
    MPI_Buffer_detach(&space, &bytes);
    free(space);

    /* The receive is posted before the ready send and the synchronous one can deadlock nobody. */
    MPI_Request request;
    MPI_Irecv(&token, 1, MPI_INT, last, 53, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Rsend(&rank, 1, MPI_INT, next, 53, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(token == last);
    MPI_Irecv(&token, 1, MPI_INT, last, 54, MPI_COMM_WORLD, &request);
    MPI_Ssend(&rank, 1, MPI_INT, next, 54, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(token == last);

    if (rank == 0)
        printf("token %d after %d rounds of %d ranks\n", ROUNDS * (size - 1), ROUNDS, size);
    MPI_Finalize();
    return unexpected;
}
