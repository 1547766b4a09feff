/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * left ROUNDS [end | unseen]: after messages on two communicators all ranks are killed, with
 * requests pending. end: they end as they should. unseen: their parents, daemons of the launcher,
 * are killed first, so that nobody sees the ranks end.
 */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, turned, size, got = -1, rounds = argc > 1 ? atoi(argv[1]) : 100;
    MPI_Comm other;
    MPI_Request request;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &other);
    MPI_Comm_set_name(other, "turned round");
    MPI_Comm_rank(other, &turned);
    for (int i = 0; i < rounds; i++) {
        const int own = i % 2 ? turned : rank;
        MPI_Sendrecv(&rank, 1, MPI_INT, (own + 1) % size, i, &got, 1, MPI_INT,
                     (own + size - 1) % size, i, i % 2 ? other : MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &got, 1, MPI_INT, MPI_MAX, other);
    }
    const char *how = argc > 2 ? argv[2] : "";
    MPI_Irecv(&got, 1, MPI_INT, 0, 77, other, &request);
    if (strcmp(how, "unseen") == 0)
        kill(getppid(), SIGSTOP); /* a daemon that hears of the others' end would kill its ranks */
    MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(how, "unseen") == 0)
        kill(getppid(), SIGKILL);
    if (strcmp(how, "end") != 0)
        raise(SIGKILL);
    MPI_Comm_rank(other, &rank);
    for (int i = 0; rank == 0 && i < size; i++)
        MPI_Send(&i, 1, MPI_INT, i, 77, other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return got == rank ? 0 : 1;
}
