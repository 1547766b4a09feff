/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All ranks write three files together by pwrite(): to `woven` pieces of 64 bytes in turns, to
 * `apart` as many, each rank within a part of its own, and to `aligned` pieces of 64 KiB in turns.
 * Rank 0 prints of each file a line `FILE WRITES WRITTEN`, of all ranks.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

#include "expect.h"

enum { SMALL = 64, LARGE = 64 << 10, MANY = 20000, SOME = 400, FEW = 20 };

static int rank, size;
static char data[LARGE];

static void writes(const char *name, long piece, long n, int in_turns)
{
    long counts[2] = {0, 0}, all[2];
    MPI_Barrier(MPI_COMM_WORLD);
    int fd = open(name, O_WRONLY | O_CREAT, 0600);
    EXPECT(fd >= 0);
    for (long i = 0; i < n; i++) {
        const long place = in_turns ? i * size + rank : rank * n + i;
        EXPECT(pwrite(fd, data, (size_t)piece, place * piece) == piece);
        counts[0]++;
        counts[1] += piece;
    }
    EXPECT(close(fd) == 0);
    MPI_Reduce(counts, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s %ld %ld\n", name, all[0], all[1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    writes("woven", SMALL, MANY, 1);
    writes("apart", SMALL, SOME, 0);
    writes("aligned", LARGE, FEW, 1);
    MPI_Finalize();
    return unexpected;
}
