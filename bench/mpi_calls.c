/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of common MPI calls, in nanoseconds per round, one line a case: "NAME NS". Compiled by
 * bench/mpi_calls with each MPI, and run bare and traced. With one rank everything goes to itself;
 * with two the partner waits actively, so that CPU time is time.
 *
 * NAME is of batches so long that full buffers are written in each; NAME/calls the least of batches
 * so short that in most of them none is.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/least.h"

enum { TAG = 1, MOST = 64, SHORT = 400, SHORT_BATCHES = 400 };

static int rank, partner;
static int64_t in[MOST], out[MOST];

static void irecv_send_wait(void)
{
    MPI_Request request;
    MPI_Irecv(in, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD, &request);
    MPI_Send(out, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void isend_irecv_waitall(void)
{
    MPI_Request request[2];
    MPI_Irecv(in, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD, &request[0]);
    MPI_Isend(out, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD, &request[1]);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
}

static void send_recv(void)
{
    if (rank == 0)
        MPI_Send(out, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD);
    MPI_Recv(in, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Send(out, 1, MPI_INT64_T, partner, TAG, MPI_COMM_WORLD);
}

static void allreduce(void)
{
    MPI_Allreduce(out, in, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*round)(void);
    int least_ranks;
} cases[] = {
    {"Irecv+Send+Wait", irecv_send_wait, 1},
    {"Irecv+Isend+Waitall", isend_irecv_waitall, 1},
    {"Send+Recv", send_recv, 2},
    {"Allreduce", allreduce, 1},
};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000;
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    partner = size == 1 ? 0 : 1 - rank;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (size < cases[i].least_ranks)
            continue;
        double ns = least_ns(CLOCK_PROCESS_CPUTIME_ID, cases[i].round, rounds);
        double calls = least_of(CLOCK_PROCESS_CPUTIME_ID, cases[i].round, SHORT, SHORT_BATCHES);
        if (rank == 0)
            printf("%s %.1f\n%s/calls %.1f\n", cases[i].name, ns, cases[i].name, calls);
    }
    MPI_Finalize();
    return 0;
}
