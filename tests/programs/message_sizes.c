/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sends messages of drawn sizes, in four ways, on two communicators, and calls collective
 * operations of drawn sizes: message_sizes SEED. Each rank counts what it sends, by powers of two,
 * and prints "COMMUNICATOR KIND BITS COUNT BYTES" for each power that it has; and "time" with the
 * ns that its counted calls took.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"
#include "truth.h"

enum { ROUNDS = 60, MOST = 1 << 17, BITS = 20, COMMS = 2, KINDS = 2 };

static struct {
    long long count;
    long long bytes;
} counted[COMMS][KINDS][BITS];

static char out[MOST], in[MOST];
static int64_t spent;
static unsigned state;

/* The same numbers on all ranks; half of them small. */
static int draw(int below)
{
    state = state * 1103515245u + 12345u;
    return (int)((state >> 8) % (unsigned)below);
}

static int draw_bytes(void)
{
    return draw(1 << draw(18));
}

static void count(int comm, int kind, int bytes)
{
    int bits = 0;
    while (bytes >> bits)
        bits++;
    counted[comm][kind][bits].count++;
    counted[comm][kind][bits].bytes += bytes;
}

/* The even rank of each two sends, or both do. */
static void message(MPI_Comm comm, int which, int way, int bytes)
{
    int rank;
    MPI_Request requests[2];
    MPI_Comm_rank(comm, &rank);
    int other = rank ^ 1, sends = way == 2 || way == 3 || rank % 2 == 0;
    int64_t begin = truth_wall();
    if (way == 0 && sends)
        MPI_Send(out, bytes, MPI_CHAR, other, 1, comm);
    else if (way == 0)
        MPI_Recv(in, MOST, MPI_CHAR, other, 1, comm, MPI_STATUS_IGNORE);
    else if (way == 1 && sends)
        MPI_Isend(out, bytes, MPI_CHAR, other, 2, comm, &requests[0]);
    else if (way == 1)
        MPI_Irecv(in, MOST, MPI_CHAR, other, 2, comm, &requests[0]);
    if (way == 1)
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    if (way == 2)
        MPI_Sendrecv(out, bytes, MPI_CHAR, other, 3, in, MOST, MPI_CHAR, other, 3, comm,
                     MPI_STATUS_IGNORE);
    if (way == 3) {
        MPI_Irecv(in, MOST, MPI_CHAR, other, 4, comm, &requests[0]);
        MPI_Isend(out, bytes, MPI_CHAR, other, 4, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    spent += truth_wall() - begin;
    if (sends)
        count(which, 0, bytes);
}

/* With all partners, itself among them: two ranks. */
static void collective(MPI_Comm comm, int which, int way, int bytes)
{
    MPI_Request request;
    int rank, all = 2 * bytes;
    MPI_Comm_rank(comm, &rank);
    int64_t begin = truth_wall();
    switch (way) {
    case 0:
        MPI_Bcast(out, bytes, MPI_CHAR, 0, comm);
        break;
    case 1:
        MPI_Allreduce(in, out, bytes, MPI_BYTE, MPI_BOR, comm);
        break;
    case 2:
        MPI_Barrier(comm);
        all = 0;
        break;
    case 3:
        MPI_Ibcast(out, bytes, MPI_CHAR, 0, comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    spent += truth_wall() - begin;
    count(which, 1, rank == 0 || way == 1 || way == 2 ? all : bytes);
}

static void tell(int rank)
{
    static const char *const comms[] = {"MPI_COMM_WORLD", "pairs"};
    static const char *const kinds[] = {"point-to-point", "collective"};
    for (int c = 0; c < COMMS; c++)
        for (int k = 0; k < KINDS; k++)
            for (int b = 0; b < BITS; b++)
                if (counted[c][k][b].count)
                    printf("%s %s %d %lld %lld\n", comms[c], kinds[k], b, counted[c][k][b].count,
                           counted[c][k][b].bytes);
    printf("time - %d %lld 0\n", rank, (long long)spent);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Comm comms[COMMS] = {MPI_COMM_WORLD};
    MPI_Init(&argc, &argv);
    state = (unsigned)atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_set_name(comms[1], "pairs");
    memset(counted, 0, sizeof counted);
    spent = 0;
    for (int i = 0; i < ROUNDS; i++) {
        int which = draw(COMMS), way = draw(4), is_message = draw(3), bytes = draw_bytes();
        if (is_message)
            message(comms[which], which, way, bytes);
        else
            collective(comms[which], which, way, bytes);
    }
    tell(rank);
    MPI_Comm_free(&comms[1]);
    MPI_Finalize();
    return unexpected;
}
