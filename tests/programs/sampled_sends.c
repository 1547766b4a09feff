/* SPDX-License-Identifier: BSD-3-Clause */
/* Rank 1 sends by MPI_Isend to a rank 0 that waits for it, and gets an answer. */
#include <mpi.h>

enum { ROUNDS = 10000, LENGTH = 4000, ASK = 1, ANSWER = 2 };

static char buffer[LENGTH];

static void ask(void)
{
    MPI_Request request;
    MPI_Isend(buffer, LENGTH, MPI_CHAR, 0, ASK, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(buffer, 1, MPI_CHAR, 0, ANSWER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void answer(void)
{
    MPI_Recv(buffer, LENGTH, MPI_CHAR, 1, ASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(buffer, 1, MPI_CHAR, 1, ANSWER, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 1)
            ask();
        else if (rank == 0)
            answer();
    }
    MPI_Finalize();
    return 0;
}
