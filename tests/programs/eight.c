/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The calls that eight.F90 makes from Fortran, one for one: the records of a trace must not depend
 * on the language or on the MPI library. Only calls whose outcome is no matter of chance. Needs an
 * even number of ranks.
 */
#include <mpi.h>

#include "expect.h"

static int rank, size, next, last;

static void messages(void)
{
    int out[4] = {rank, rank + 1, rank + 2, rank + 3}, in[8] = {0}, count, done;
    double reals[3] = {rank, rank, rank}, got[3];
    MPI_Status status;
    MPI_Request requests[4];
    if (rank % 2 == 0) {
        MPI_Send(out, 4, MPI_INT, next, 1, MPI_COMM_WORLD);
        MPI_Recv(in, 4, MPI_INT, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, 4, MPI_INT, last, 1, MPI_COMM_WORLD, &status);
        MPI_Ssend(out, 4, MPI_INT, next, 1, MPI_COMM_WORLD);
        EXPECT(status.MPI_SOURCE == last);
    }
    EXPECT(in[3] == last + 3);
    MPI_Irecv(in, 4, MPI_INT, last, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(got, 3, MPI_DOUBLE, last, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(out, 4, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Issend(reals, 3, MPI_DOUBLE, next, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Waitall(3, &requests[1], MPI_STATUSES_IGNORE);
    EXPECT(in[0] == last && got[2] == last);
    MPI_Sendrecv(out, 2, MPI_INT, next, 4, in, 2, MPI_INT, last, 4, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    EXPECT(in[1] == last + 1);
    MPI_Send(out, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD);
    MPI_Recv(in, 1, MPI_INT, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

    MPI_Recv_init(in, 4, MPI_INT, last, 6, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 4, MPI_INT, next, 6, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 2; round++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT(in[2] == last + 2);
    }
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == 4);
    MPI_Test(&requests[0], &done, MPI_STATUS_IGNORE); /* inactive: done, no record */
    EXPECT(done);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);

    if (rank % 2 == 0) {
        MPI_Send(out, 3, MPI_INT, next, 7, MPI_COMM_WORLD);
    } else {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(in, count, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EXPECT(count == 3 && status.MPI_SOURCE == last && status.MPI_TAG == 7);
    }
}

static void collectives(MPI_Comm comm)
{
    int me, members, value, out[16], in[16];
    MPI_Request requests[3];
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &members);
    MPI_Barrier(comm);
    value = me == 0 ? 42 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    EXPECT(value == 42);
    for (int i = 0; i < 16; i++)
        out[i] = me + i;
    MPI_Reduce(out, in, 2, MPI_INT, MPI_SUM, 0, comm);
    EXPECT(me != 0 || in[1] == members * (members - 1) / 2 + members);
    in[0] = me;
    MPI_Allreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_MAX, comm);
    EXPECT(in[0] == members - 1);
    in[0] = 0;
    if (me == 0)
        MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
    else
        MPI_Gather(out, 1, MPI_INT, in, 1, MPI_INT, 0, comm);
    EXPECT(me != 0 || in[members - 1] == members - 1);
    MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, comm);
    EXPECT(in[2 * members - 1] == members);
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, comm);
    EXPECT(in[members - 1] == members - 1 + me);
    MPI_Scan(out, in, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(in[0] == me * (me + 1) / 2);
    value = me == 0 ? 43 : 0;
    in[0] = me;
    MPI_Ibcast(&value, 1, MPI_INT, 0, comm, &requests[0]);
    MPI_Iallreduce(MPI_IN_PLACE, in, 1, MPI_INT, MPI_SUM, comm, &requests[1]);
    MPI_Ibarrier(comm, &requests[2]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    EXPECT(value == 43 && in[0] == members * (members - 1) / 2);
}

int main(int argc, char **argv)
{
    MPI_Comm half, twin;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    messages();
    collectives(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Comm_set_name(half, "half");
    MPI_Comm_dup(half, &twin);
    collectives(twin);
    MPI_Comm_free(&twin);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return unexpected;
}
