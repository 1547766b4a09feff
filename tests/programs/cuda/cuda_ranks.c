/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI, OpenMP and CUDA in one program: the ranks share a device, and the threads of each rank give
 * kernels and copies to streams of their own. Rank 0 prints how many kernels there were.
 */
#include <mpi.h>
#include <stdio.h>

#include "fake_cuda.h"

enum { THREADS = 2, KERNELS = 20, BYTES = 4096 };

static int work(CUcontext context)
{
    CUstream stream;
    int n = 0;
    cuCtxSetCurrent(context);
    cuStreamCreate(&stream, 0);
    for (int i = 0; i < KERNELS; i++)
        n += fake_launch(1, 32, 0, stream, 10, "count") == 0;
    cuMemcpyAsync(2, 0, BYTES, stream);
    cuStreamSynchronize(stream);
    return n;
}

int main(int argc, char **argv)
{
    CUcontext context;
    int rank, n = 0, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (cuInit(0) != 0 || cuCtxCreate_v2(&context, 0, 0) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
#pragma omp parallel num_threads(THREADS) reduction(+ : n)
    n += work(context);
    MPI_Reduce(&n, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", all);
    MPI_Finalize();
    return 0;
}
