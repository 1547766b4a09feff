/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank looks for messages again and again; each prints how many calls of MPI it has made. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { MESSAGES = 20, PAUSE_US = 500 };

static long calls;
#define CALL(call) (calls++, (call))

static void receive(void)
{
    int got, is_there = 0;
    while (!is_there)
        CALL(MPI_Iprobe(0, 7, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE));
    CALL(MPI_Recv(&got, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

int main(int argc, char **argv)
{
    int rank;
    CALL(MPI_Init(&argc, &argv));
    CALL(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 1)
            receive();
        if (rank == 0) {
            usleep(PAUSE_US);
            CALL(MPI_Send(&i, 1, MPI_INT, 1, 7, MPI_COMM_WORLD));
        }
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Finalize());
    printf("rank %d: %ld calls\n", rank, calls);
    return 0;
}
