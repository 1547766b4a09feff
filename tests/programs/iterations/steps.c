/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * steps.c STEPS GROWTH SLOW: each step is longer on rank 1 than the one before, by GROWTH
 * microseconds; step 12 is longer on rank 0, by SLOW. Rank 0 prints how long each step took, in
 * microseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_US = 5000, SLOW_STEP = 12, STEPS_MOST = 1000 };

int main(int argc, char **argv)
{
    static double times[STEPS_MOST + 1];
    int rank;
    double all = 0.0, one = 1.0;
    if (argc != 4)
        return 2;
    int steps = atoi(argv[1]), growth = atoi(argv[2]), slow = atoi(argv[3]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    times[0] = MPI_Wtime();
    for (int i = 1; i <= steps && i <= STEPS_MOST; i++) {
        MPI_Bcast(&one, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD); /* before the growth */
        usleep((useconds_t)(USUAL_US + (rank == 1 ? i * growth : 0)));
        for (int k = 0; k < 1 + i % 2; k++)
            MPI_Allreduce(&one, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* slow */
        usleep((useconds_t)(rank == 0 && i == SLOW_STEP ? slow : 0));
        MPI_Barrier(MPI_COMM_WORLD); /* ends a step */
        times[i] = MPI_Wtime();
    }
    for (int i = 1; rank == 0 && i <= steps; i++)
        printf("%.0f\n", 1e6 * (times[i] - times[i - 1]));
    MPI_Finalize();
    return all < 0.0;
}
