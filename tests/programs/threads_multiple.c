/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_THREAD_MULTIPLE: THREADS threads a rank pass ROUNDS tokens round a ring of their own, and
 * meet in a communicator of their own. The main thread completes a receive that thread 0 has
 * started.
 */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>

#include "expect.h"

#define THREADS 4
#define ROUNDS 200

static int rank, size;
static MPI_Comm comms[THREADS];
static MPI_Request handed_over;
static int handed_value;

static void *run(void *argument)
{
    int me = *(const int *)argument, next = (rank + 1) % size, last = (rank + size - 1) % size;
    for (int round = 0; round < ROUNDS; round++) {
        int out = rank * 1000 + round, in[THREADS + 1] = {0};
        MPI_Request requests[2];
        /* Messages of a thread have a tag and a length of their own. */
        MPI_Irecv(in, me + 1, MPI_INT, last, me, MPI_COMM_WORLD, &requests[0]);
        int row[THREADS] = {out, out, out, out};
        MPI_Isend(row, me + 1, MPI_INT, next, me, MPI_COMM_WORLD, &requests[1]);
        sched_yield(); /* the others have open requests as well */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        EXPECT(in[me] == last * 1000 + round);
        int sum = 0;
        if (round % 10)
            continue;
        MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comms[me]);
        EXPECT(sum == size * (size - 1) / 2);
    }
    if (me == 0)
        MPI_Irecv(&handed_value, 1, MPI_INT, last, 70, MPI_COMM_WORLD, &handed_over);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 70, MPI_COMM_WORLD);
    MPI_Wait(&handed_over, MPI_STATUS_IGNORE);
    EXPECT(handed_value == (rank + size - 1) % size);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_free(&comms[i]);
    if (rank == 0)
        printf("%d threads on %d ranks\n", THREADS, size);
    MPI_Finalize();
    return unexpected;
}
