/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks call something of every group of MPI, and pause recording in the middle. */
#include <mpi.h>
#include <stdio.h>

static int rank, peer;

static int exchange(MPI_Comm comm, int value)
{
    MPI_Request requests[2];
    int got = -1;
    MPI_Irecv(&got, 1, MPI_INT, peer, 7, comm, &requests[0]);
    MPI_Isend(&value, 1, MPI_INT, peer, 7, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    return got;
}

static void use_window(MPI_Comm comm)
{
    int *shared;
    MPI_Win win;
    MPI_Win_allocate(sizeof *shared, sizeof *shared, MPI_INFO_NULL, comm, &shared, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, peer, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void use_file(MPI_Comm comm)
{
    MPI_File file;
    MPI_File_open(comm, "groups.out", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at(file, (MPI_Offset)(rank * sizeof rank), &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    MPI_Comm copy, paused;
    MPI_Datatype pair;
    MPI_Request barrier, pending[2];
    int dims[2] = {0, 0}, is_set, got = -1;
    void *value;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    peer = 1 - rank;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Type_free(&pair);
    MPI_Dims_create(2, 2, dims);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &is_set);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    printf("rank %d got %d\n", rank, exchange(copy, rank));
    MPI_Barrier(copy);
    MPI_Ibarrier(copy, &barrier);
    MPI_Wait(&barrier, MPI_STATUS_IGNORE);
    use_window(copy);
    use_file(copy);

    MPI_Pcontrol(0);
    MPI_Comm_dup(copy, &paused);
    exchange(paused, rank);
    MPI_Irecv(&got, 1, MPI_INT, peer, 8, copy, &pending[0]);
    MPI_Isend(&rank, 1, MPI_INT, peer, 8, copy, &pending[1]);
    MPI_Pcontrol(1);
    MPI_Waitall(2, pending, MPI_STATUSES_IGNORE);
    printf("rank %d got %d in the pause\n", rank, got);
    exchange(paused, rank);
    MPI_Comm_free(&paused);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
