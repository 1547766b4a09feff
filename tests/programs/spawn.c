/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that start processes: `spawn CHILD N HOW`. The parents spawn N times CHILD (the
 * program, or a script that runs it) together, and talk to the children over the intercommunicator.
 *   talk   messages both ways, a collective operation, a copy, a merger and parts of the merger
 *   many   each parent also spawns a child alone; then two kinds at once
 *   quiet  nothing but the spawning: the children do not talk
 * Children stay until all are there, held by MPI_Comm_disconnect: mpirun of Open MPI 4.1 with
 * PMIx 4.2 may be deaf to a new process that gets the descriptor of a process just ended.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "expect.h"

static int rank, size;

static void sum_in(MPI_Comm comm)
{
    int one = 1, sum = 0, n;
    MPI_Comm_size(comm, &n);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == n);
}

/* Both sides do the same. */
static void talk(MPI_Comm between, int is_parent)
{
    int others, got = -1, value = 100 * is_parent + rank;
    MPI_Request request;
    MPI_Comm_remote_size(between, &others);
    int peer = rank % others;
    MPI_Sendrecv(&value, 1, MPI_INT, peer, 1, &got, 1, MPI_INT, peer, 1, between,
                 MPI_STATUS_IGNORE);
    EXPECT(got == 100 * !is_parent + peer);
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, between, &request);
    MPI_Send(&value, 1, MPI_INT, peer, 2, between);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, between);
    EXPECT(sum == others * (others - 1) / 2);
    int root = !is_parent ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
    MPI_Bcast(&value, 1, MPI_INT, root, between);
    MPI_Barrier(between);
}

static void derive(MPI_Comm between, int is_parent)
{
    MPI_Comm copy, all, half;
    MPI_Comm_dup(between, &copy);
    MPI_Comm_set_name(copy, "copy");
    talk(copy, is_parent);
    MPI_Comm_free(&copy);
    MPI_Intercomm_merge(between, is_parent, &all);
    MPI_Comm_set_name(all, "merged");
    sum_in(all);
    int mine;
    MPI_Comm_rank(all, &mine);
    MPI_Comm_split(all, mine % 2, -mine, &half);
    MPI_Comm_set_name(half, mine % 2 ? "odd" : "even");
    sum_in(half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&all);
}

static void child(MPI_Comm parents, const char *how)
{
    if (strcmp(how, "quiet") != 0) {
        talk(parents, 0);
        derive(parents, 0);
    }
    MPI_Comm_disconnect(&parents);
}

static void with_children(MPI_Comm children, const char *how, const char *name)
{
    MPI_Comm_set_name(children, name);
    if (strcmp(how, "quiet") != 0) {
        talk(children, 1);
        derive(children, 1);
    }
}

static void parent(char *command, int n, char *how)
{
    char *arguments[] = {command, "0", how, NULL}, **both[] = {arguments, arguments};
    char *commands[] = {command, command};
    int each[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm children, only, kinds;
    MPI_Comm_spawn(command, arguments, n, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    with_children(children, how, "children");
    if (strcmp(how, "many") == 0) {
        int world = rank;
        rank = 0;
        MPI_Comm_spawn(command, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &only,
                       MPI_ERRCODES_IGNORE);
        with_children(only, how, "only child");
        rank = world;
        MPI_Comm_spawn_multiple(2, commands, both, each, infos, 1, MPI_COMM_WORLD, &kinds,
                                MPI_ERRCODES_IGNORE);
        with_children(kinds, how, "two kinds");
        MPI_Comm_disconnect(&kinds);
        MPI_Comm_disconnect(&only);
    }
    MPI_Comm_disconnect(&children);
}

int main(int argc, char **argv)
{
    MPI_Comm parents;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL)
        child(parents, argv[3]);
    else
        parent(argv[1], atoi(argv[2]), argv[3]);
    MPI_Finalize();
    return unexpected;
}
