/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What leaves half of a message in a trace: receives that are freed while they are open, and calls
 * that fail. tests/cases/requests_left.py knows what is missing then.
 */
#include <mpi.h>

#include "expect.h"

#define COMM MPI_COMM_WORLD

static int rank, size, next, last;

/* A receive is freed; that it is complete is seen by what it brings. So is a send. */
static void freed(void)
{
    volatile int in = -1;
    static int out;
    int token = 0;
    MPI_Request request;
    out = rank;
    MPI_Irecv((int *)&in, 1, MPI_INT, last, 30, COMM, &request);
    MPI_Request_free(&request);
    EXPECT(request == MPI_REQUEST_NULL);
    MPI_Isend(&out, 1, MPI_INT, next, 30, COMM, &request);
    MPI_Request_free(&request);
    MPI_Sendrecv(&token, 1, MPI_INT, next, 31, &token, 1, MPI_INT, last, 31, COMM,
                 MPI_STATUS_IGNORE);
    MPI_Barrier(COMM);
    for (int i = 0; in != last && i < 1000000; i++)
        MPI_Iprobe(MPI_ANY_SOURCE, 99, COMM, &token, MPI_STATUS_IGNORE);
    EXPECT(in == last);
}

static int class_of(int error)
{
    int class;
    MPI_Error_class(error, &class);
    return class;
}

/* Arguments that MPI refuses. */
static void refused(MPI_Comm comm)
{
    int value = 1;
    MPI_Request request;
    EXPECT(MPI_Send(&value, 1, MPI_INT, size, 80, comm) != MPI_SUCCESS);
    EXPECT(MPI_Isend(&value, -1, MPI_INT, next, 80, comm, &request) != MPI_SUCCESS);
    EXPECT(MPI_Irecv(&value, 1, MPI_INT, size, 80, comm, &request) != MPI_SUCCESS);
    EXPECT(MPI_Bcast(&value, 1, MPI_INT, size, comm) != MPI_SUCCESS);
}

/* Messages that are longer than their receives, among others that are not. */
static void too_long(MPI_Comm comm)
{
    int in[3] = {-1, -1, -1}, out[2] = {1, 2};
    MPI_Status status, statuses[3];
    MPI_Request requests[3];
    MPI_Send(out, 2, MPI_INT, next, 81, comm);
    EXPECT(class_of(MPI_Recv(in, 1, MPI_INT, last, 81, comm, &status)) == MPI_ERR_TRUNCATE);

    MPI_Send(out, 1, MPI_INT, next, 82, comm);
    MPI_Send(out, 2, MPI_INT, next, 83, comm);
    MPI_Send(out, 1, MPI_INT, next, 84, comm);
    for (int i = 0; i < 3; i++) {
        MPI_Probe(last, 82 + i, comm, MPI_STATUS_IGNORE);
        MPI_Irecv(&in[i], 1, MPI_INT, last, 82 + i, comm, &requests[i]);
    }
    EXPECT(class_of(MPI_Waitall(3, requests, statuses)) == MPI_ERR_IN_STATUS);
    EXPECT(class_of(statuses[1].MPI_ERROR) == MPI_ERR_TRUNCATE);
    for (int i = 0; i < 3; i += 2) {
        if (requests[i] != MPI_REQUEST_NULL) /* pending: not looked at because of the error */
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        EXPECT(in[i] == 1);
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(COMM, &rank);
    MPI_Comm_size(COMM, &size);
    next = (rank + 1) % size;
    last = (rank + size - 1) % size;
    freed();
    MPI_Comm_dup(COMM, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(COMM, MPI_ERRORS_RETURN); /* MPICH asks this one in MPI_Waitall */
    refused(comm);
    too_long(comm);
    MPI_Comm_free(&comm);
    if (rank == 0)
        printf("what is left of %d ranks\n", size);
    MPI_Finalize();
    return unexpected;
}
