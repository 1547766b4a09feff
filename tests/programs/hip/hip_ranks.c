/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks, each of which gives kernels and copies to a device. */
#include <mpi.h>
#include <stdio.h>

#include "fake_hip.h"

enum { ROUNDS = 20 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    hipSetDevice(rank % FAKE_DEVICES);
    for (int i = 0; i < ROUNDS; i++) {
        if (hipLaunchKernel(4, 64, 0, NULL, 20, "of_rank.kd") != 0)
            return 2;
        hipMemcpy(2, 1000);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    hipDeviceSynchronize();
    if (rank == 0)
        printf("%d kernels a rank\n", ROUNDS);
    MPI_Finalize();
    return 0;
}
