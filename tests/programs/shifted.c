/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two ranks whose records do not begin at the same message: with "pause" each switches recording
 * off for a while, the second one longer, and messages are under way then. In the phase that counts
 * the first works and sends, the second waits for it, and then in the barrier, too; it tells how
 * long.
 */
#include <string.h>

#include <mpi.h>

#include "truth.h"

enum { CHATTER = 15000, AHEAD = 7, PAUSED = 40, ROUNDS = 8, WORK_MS = 25 };

static int rank, value;

static void chat(int n)
{
    for (int i = 0; i < n; i++) {
        if (rank == 0)
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        else
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i % 100 == 99)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Messages and operations of all kinds, of which one rank records fewer. */
static void pauses(void)
{
    MPI_Request request[2];
    int other = 1 - rank, in = 0, out = 0;
    MPI_Pcontrol(0);
    chat(PAUSED / 2);
    if (rank == 0)
        MPI_Pcontrol(1);
    chat(PAUSED);
    MPI_Irecv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, other, 0, &in, 1, MPI_INT, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, other, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Allreduce(&value, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Ibarrier(MPI_COMM_WORLD, &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Pcontrol(1);
    MPI_Send(&value, 1, MPI_INT, other, 0, MPI_COMM_WORLD);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE); /* was started while it was off, on one rank */
}

static __attribute__((noinline)) void work(void)
{
    (void)truth_burn(WORK_MS);
}

int main(int argc, char **argv)
{
    int64_t receiving = 0, meeting = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    chat(CHATTER);
    if (argc > 1 && strcmp(argv[1], "pause") == 0)
        pauses();
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < AHEAD; i++)
        MPI_Send(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        int64_t begin;
        if (rank == 0) {
            work();
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            work();
            MPI_Barrier(MPI_COMM_WORLD);
            continue;
        }
        begin = truth_wall();
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        receiving += truth_wall() - begin;
        begin = truth_wall();
        MPI_Barrier(MPI_COMM_WORLD);
        meeting += truth_wall() - begin;
    }
    for (int i = 0; rank == 1 && i < AHEAD; i++)
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        truth_tell("receiving", receiving);
        truth_tell("meeting", meeting);
        fflush(stdout);
    }
    MPI_Finalize();
    return 0;
}
