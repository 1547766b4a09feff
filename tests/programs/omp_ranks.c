/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI and OpenMP together: between loops of all threads, the thread that started MPI exchanges
 * halos. Each thread sends a message to its namesake in the next rank, and a reduction goes over
 * both.
 */
#include <mpi.h>
#include <omp.h>

#include "expect.h"

enum { STEPS = 10, THREADS = 2, CELLS = 64 };

static double cell[CELLS + 2];

static void step(int up, int down)
{
    MPI_Sendrecv(&cell[CELLS], 1, MPI_DOUBLE, up, 0, &cell[0], 1, MPI_DOUBLE, down, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma omp parallel for schedule(dynamic, 8) num_threads(THREADS)
    for (int i = 1; i <= CELLS; i++)
        cell[i] += 1;
}

/* Two constructs of one function: their lines tell them apart. */
static int by_threads(int rank, int up, int down)
{
    int sum = 0;
#pragma omp parallel num_threads(THREADS)
    {
        int me = omp_get_thread_num(), mine = rank * 100 + me, got = -1;
        MPI_Sendrecv(&mine, 1, MPI_INT, up, me + 1, &got, 1, MPI_INT, down, me + 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        EXPECT(got == down * 100 + me);
#pragma omp critical
        MPI_Barrier(MPI_COMM_SELF);
    }
#pragma omp parallel num_threads(THREADS) reduction(+ : sum)
    sum += omp_get_thread_num() + 1;
    return sum;
}

int main(int argc, char **argv)
{
    int provided, rank, size, sum, all;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int up = (rank + 1) % size, down = (rank + size - 1) % size;
    for (int i = 0; i < STEPS; i++)
        step(up, down);
    sum = by_threads(rank, up, down);
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(all == size * 3 && cell[1] == STEPS);
    if (rank == 0)
        printf("sum %d\n", all);
    MPI_Finalize();
    return unexpected;
}
