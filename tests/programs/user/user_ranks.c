/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks of which a user wants one iteration, the tenth: with SPUR_START=off. With an argument the
 * odd ranks record the one behind it instead: their partners' messages and operations are missing.
 */
#include <mpi.h>
#include <stdio.h>

#include <spur/spur.h>

enum { ITERATIONS = 20, WANTED = 10 };

static struct spur_user_region iteration = SPUR_USER_REGION("iteration");
static struct spur_user_parameter number = SPUR_USER_PARAMETER("number");

static double iterate(int rank, int size, double value)
{
    double from_left = 0, sum = 0;
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Sendrecv(&value, 1, MPI_DOUBLE, right, 1, &from_left, 1, MPI_DOUBLE, left, 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&from_left, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum / size;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double value = rank;
    int wanted = WANTED + (argc > 1 ? rank % 2 : 0);
    for (int i = 0; i < ITERATIONS; i++) {
        if (i == wanted)
            spur_user_on();
        spur_user_enter(&iteration);
        spur_user_parameter_uint(&number, (unsigned)i);
        value = iterate(rank, size, value);
        spur_user_leave(&iteration);
        if (i == wanted)
            spur_user_off();
    }
    printf("rank %d: %g\n", rank, value);
    MPI_Finalize();
    return 0;
}
