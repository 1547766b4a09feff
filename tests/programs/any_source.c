/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What only the status tells: ANY_SOURCE and ANY_TAG, blocking and not, probes and matched probes;
 * and what is no message: MPI_PROC_NULL and a cancelled receive. Every rank but 0 sends 5 messages
 * to rank 0.
 */
#include <mpi.h>

#include "expect.h"

static int size;

static void check(const MPI_Status *status, int tag, int value)
{
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    EXPECT(status->MPI_TAG == tag && count == tag + 1);
    EXPECT(value == status->MPI_SOURCE * 10 + tag);
}

static void receive_all(void)
{
    int got[8], index;
    MPI_Status status;
    MPI_Message message;
    MPI_Request requests[64];
    static int slots[64][8];
    for (int i = 1; i < size; i++) {
        MPI_Recv(got, 8, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        check(&status, 0, got[0]);
    }
    for (int i = 1; i < size; i++)
        MPI_Irecv(slots[i], 8, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &requests[i]);
    for (int i = 1; i < size; i++) {
        MPI_Waitany(size - 1, &requests[1], &index, &status);
        check(&status, 1, slots[index + 1][0]);
    }
    for (int i = 1; i < size; i++) {
        MPI_Probe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
        MPI_Recv(got, 8, MPI_INT, status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        check(&status, 2, got[0]);
    }
    for (int i = 1; i < size; i++) {
        MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(got, 8, MPI_INT, &message, MPI_STATUS_IGNORE);
        check(&status, 3, got[0]);
    }
    for (int i = 1; i < size; i++) {
        int there = 0;
        while (!there)
            MPI_Improbe(i, 4, MPI_COMM_WORLD, &there, &message, &status);
        MPI_Imrecv(got, 8, MPI_INT, &message, &requests[0]);
        MPI_Wait(&requests[0], &status);
        check(&status, 4, got[0]);
    }
}

static void nobody(void)
{
    int value = 3, there = 0;
    MPI_Status status;
    MPI_Request requests[2];
    MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_SOURCE == MPI_PROC_NULL && value == 3);
    MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    EXPECT(!there);
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &there);
    EXPECT(there);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, out[8];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        receive_all();
    } else {
        for (int tag = 0; tag < 5; tag++) {
            out[0] = rank * 10 + tag;
            MPI_Send(out, tag + 1, MPI_INT, 0, tag, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    nobody();
    if (rank == 0)
        printf("anybody of %d ranks\n", size);
    MPI_Finalize();
    return unexpected;
}
