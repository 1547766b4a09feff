/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that share a GPU: each copies, fills and sums up what it has; rank 0 prints what all gave.
 */
#include <cuda_runtime.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 20, BYTES = 1 << 20 };

static void must(int is_good)
{
    if (!is_good)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    void *device;
    unsigned char *host = malloc(BYTES);
    must(host && cudaMalloc(&device, BYTES) == cudaSuccess);
    for (int i = 0; i < ROUNDS; i++) {
        int sum = 0;
        must(cudaMemset(device, rank + 1, BYTES) == cudaSuccess);
        must(cudaMemcpy(host, device, BYTES, cudaMemcpyDeviceToHost) == cudaSuccess);
        int mine = host[BYTES - 1];
        MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        must(sum == ranks * (ranks + 1) / 2);
    }
    cudaFree(device);
    free(host);
    if (rank == 0)
        printf("fill %d %d fill\nput %d %d copy to host (pageable)\n", ranks * ROUNDS,
               ranks * ROUNDS * BYTES, ranks * ROUNDS, ranks * ROUNDS * BYTES);
    MPI_Finalize();
    return 0;
}
