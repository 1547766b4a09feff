/* SPDX-License-Identifier: BSD-3-Clause */
/* A message of one rank to itself, for bench/gates: the second call of rounds() counts. */
#include <mpi.h>
#include <stdlib.h>

__attribute__((noinline)) static void rounds(int n)
{
    int in, out = 1;
    for (int i = 0; i < n; i++) {
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

__attribute__((noinline)) static void counted(int n)
{
    rounds(n);
    __asm__ volatile("" ::: "memory"); /* no tail call: what is toggled has to return */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    rounds(n);
    counted(n);
    MPI_Finalize();
    return 0;
}
