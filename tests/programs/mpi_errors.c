/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that fail and return: collective operations with wrong arguments at one rank, and with
 * buffers that are too short, blocking and not; messages that are longer than the receive. What
 * comes behind them on the same communicators succeeds. Needs 3 ranks.
 */
#include <mpi.h>

#include "expect.h"

static int rank, size;
static int numbers[1000], more[1000];

static void fails(int code)
{
    int class;
    MPI_Error_class(code, &class);
    EXPECT(class != MPI_SUCCESS);
}

/* What is behind is called by all. */
static void good(MPI_Comm comm)
{
    int value = rank == 1, sum = 0;
    EXPECT(MPI_Bcast(&value, 1, MPI_INT, 1, comm) == MPI_SUCCESS && value == 1);
    EXPECT(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm) == MPI_SUCCESS && sum == size);
    EXPECT(MPI_Barrier(comm) == MPI_SUCCESS);
}

/* Found before anything is communicated: the others do not take part. */
static void wrong_arguments(MPI_Comm comm)
{
    MPI_Comm none;
    MPI_Request request;
    if (rank == 0) {
        fails(MPI_Bcast(numbers, -1, MPI_INT, 0, comm));
        fails(MPI_Bcast(numbers, 1, MPI_DATATYPE_NULL, 0, comm));
        fails(MPI_Bcast(numbers, 1, MPI_INT, size, comm));
        fails(MPI_Ibcast(numbers, -1, MPI_INT, 0, comm, &request));
        fails(MPI_Comm_create(comm, MPI_GROUP_NULL, &none));
    }
    good(comm);
    fails(MPI_Allreduce(numbers, more, 1, MPI_INT, MPI_OP_NULL, comm));
    if (rank == 2)
        fails(MPI_Gather(numbers, -1, MPI_INT, more, 1, MPI_INT, 2, comm));
    good(comm);
}

/* The root has more than the others expect: it does not know of the error. */
static void too_long(MPI_Comm comm)
{
    int code = MPI_Bcast(numbers, rank == 1 ? 1000 : 10, MPI_INT, 1, comm);
    if (rank != 1)
        fails(code);
    good(comm);
}

static void too_long_later(MPI_Comm comm)
{
    MPI_Request request[2];
    MPI_Status statuses[2];
    MPI_Ibcast(numbers, rank == 1 ? 1000 : 10, MPI_INT, 1, comm, &request[0]);
    int code = MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    if (rank != 1)
        fails(code);
    EXPECT(request[0] == MPI_REQUEST_NULL);
    good(comm);
    MPI_Ibcast(numbers, rank == 1 ? 1000 : 10, MPI_INT, 1, comm, &request[0]);
    MPI_Ibarrier(comm, &request[1]);
    code = MPI_Waitall(2, request, statuses);
    if (rank != 1)
        fails(code);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    good(comm);
}

/* The first message is longer than its receive; both have one envelope. */
static void truncated(MPI_Comm comm, int tag, int how)
{
    MPI_Request request[2];
    MPI_Status statuses[2];
    int n = how == 3 ? MPI_ANY_SOURCE : 0;
    if (rank == 0) {
        MPI_Send(numbers, 20, MPI_INT, 1, tag, comm);
        MPI_Send(numbers, 3, MPI_INT, 1, tag, comm);
    } else if (rank == 1 && how < 3) {
        MPI_Irecv(more, 2, MPI_INT, n, tag, comm, &request[0]);
        MPI_Irecv(more, 3, MPI_INT, n, tag, comm, &request[1]);
        if (how == 0) {
            fails(MPI_Waitall(2, request, statuses));
            MPI_Waitall(2, request, MPI_STATUSES_IGNORE); /* what it has left pending */
        } else {
            int index, flag = 0;
            if (how == 1)
                fails(MPI_Wait(&request[0], MPI_STATUS_IGNORE));
            else
                while (!flag && MPI_Testany(1, request, &index, &flag, MPI_STATUS_IGNORE) == 0)
                    continue;
            EXPECT(MPI_Wait(&request[1], MPI_STATUS_IGNORE) == MPI_SUCCESS);
        }
    } else if (rank == 1) {
        fails(how == 3 ? MPI_Recv(more, 2, MPI_INT, n, tag, comm, MPI_STATUS_IGNORE)
                       : MPI_Sendrecv(numbers, 1, MPI_INT, 1, 99, more, 2, MPI_INT, n, tag, comm,
                                      &statuses[0]));
        EXPECT(MPI_Recv(more, 3, MPI_INT, n, tag, comm, &statuses[0]) == MPI_SUCCESS);
        if (how == 4)
            MPI_Recv(more, 1, MPI_INT, 1, 99, comm, MPI_STATUS_IGNORE);
    }
    good(comm);
}

int main(int argc, char **argv)
{
    MPI_Comm twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_set_errhandler(twin, MPI_ERRORS_RETURN);
    wrong_arguments(MPI_COMM_WORLD);
    wrong_arguments(twin);
    too_long(twin);
    too_long_later(twin);
    for (int how = 0; how < 5; how++)
        truncated(twin, how, how);
    MPI_Comm_free(&twin);
    MPI_Finalize();
    return unexpected;
}
