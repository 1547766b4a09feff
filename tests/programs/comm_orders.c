/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators of the same members, made in another order by each rank: MPI_Comm_create_group goes
 * by its tag, MPI_Comm_idup by the order on its communicator, and several threads make some at a
 * time. In each of them a message and a collective operation of its own length. Needs 2 ranks and
 * MPI_THREAD_MULTIPLE.
 */
#include <mpi.h>
#include <pthread.h>

#include "expect.h"

enum { THREADS = 4, ROUNDS = 5 };

static int rank, size;
static MPI_Group everybody;

static void use(MPI_Comm comm, const char *name, int length)
{
    char text[64] = {0};
    MPI_Comm_set_name(comm, name);
    MPI_Bcast(text, length, MPI_CHAR, 1, comm);
    if (rank == 0)
        MPI_Send(text, length, MPI_CHAR, 1, 3, comm);
    else if (rank == 1)
        MPI_Recv(text, length, MPI_CHAR, 0, 3, comm, MPI_STATUS_IGNORE);
    MPI_Barrier(comm);
}

/* Rank 0 starts the copy before the other one is made, all others behind it. */
static void copy_beside(void)
{
    MPI_Comm copy, made;
    MPI_Request request;
    if (rank == 0)
        MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Comm_create_group(MPI_COMM_WORLD, everybody, 5, &made);
    if (rank != 0)
        MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(copy, "copy", 11);
    use(made, "made", 12);
    MPI_Comm_free(&made);
    MPI_Comm_free(&copy);
}

/* One tag each, and several one behind the other. */
static void *make_some(void *argument)
{
    int me = *(const int *)argument;
    char name[32];
    for (int round = 0; round < ROUNDS; round++) {
        MPI_Comm made;
        MPI_Comm_create_group(MPI_COMM_WORLD, everybody, 100 + me, &made);
        snprintf(name, sizeof name, "thread %d, %d", me, round);
        use(made, name, 20 + me * ROUNDS + round);
        MPI_Comm_free(&made);
    }
    return NULL;
}

static void make_in_threads(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) { /* each rank begins with another one */
        numbers[i] = (i + rank) % THREADS;
        pthread_create(&threads[i], NULL, make_some, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    copy_beside();
    make_in_threads();
    MPI_Group_free(&everybody);
    MPI_Finalize();
    return unexpected;
}
