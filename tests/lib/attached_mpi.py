# SPDX-License-Identifier: BSD-3-Clause
"""Programs of two ranks that are attached to; each runs until its file "mark" is there."""

RING = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

/* A ring, and sums over halves, until the file "mark" is there; then 50 more rounds. */
int main(int argc, char **argv)
{
    int rank, size, last = -1;
    long sum = 0, should = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    if (rank == 0)
        puts("ready"), fflush(stdout);
    for (int i = 0; i != last; i++) {
        long in, out = i + rank, all;
        int is_marked = access(argv[1], F_OK) == 0;
        MPI_Request request[2];
        MPI_Irecv(&in, 1, MPI_LONG, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &request[0]);
        MPI_Isend(&out, 1, MPI_LONG, (rank + 1) % size, 5, MPI_COMM_WORLD, &request[1]);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        MPI_Allreduce(&out, &all, 1, MPI_LONG, MPI_SUM, half);
        MPI_Bcast(&is_marked, 1, MPI_INT, 0, MPI_COMM_WORLD);
        if (is_marked && last < 0)
            last = i + 50;
        sum += in;
        should += i + (rank + size - 1) % size;
        usleep(1000);
    }
    printf("%d %s\n", rank, sum == should ? "equal" : "different");
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
"""

# Rank 1 waits for a communicator to be made, as good as always.
WAITS = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, is_marked = 0;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        puts("ready"), fflush(stdout);
    while (!is_marked) {
        if (rank == 0)
            usleep(50000);
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        is_marked = access(argv[1], F_OK) == 0;
        MPI_Bcast(&is_marked, 1, MPI_INT, 0, copy);
        MPI_Comm_free(&copy);
    }
    MPI_Finalize();
    return 0;
}
"""

# Both ranks make communicators and windows all the time, and hold a lock.
MAKES = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, is_marked = 0, *all, *one;
    MPI_Comm copy;
    MPI_Win kept, made;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &copy);
    MPI_Win_allocate(sizeof *all, 1, MPI_INFO_NULL, copy, &all, &kept);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, kept);
    MPI_Comm_free(&copy);
    if (rank == 0)
        puts("ready"), fflush(stdout);
    while (!is_marked) {
        if (rank == 0)
            usleep(10000);
        MPI_Win_allocate(sizeof *one, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &one, &made);
        MPI_Win_fence(0, made);
        MPI_Put(&rank, 1, MPI_INT, 1 - rank, 0, 1, MPI_INT, made);
        MPI_Win_fence(0, made);
        MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, kept);
        MPI_Win_flush(0, kept);
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        is_marked = access(argv[1], F_OK) == 0;
        MPI_Bcast(&is_marked, 1, MPI_INT, 0, copy);
        MPI_Comm_free(&copy);
        MPI_Win_free(&made);
    }
    MPI_Win_unlock(0, kept);
    MPI_Win_free(&kept);
    MPI_Finalize();
    return 0;
}
"""
