/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided communication by threads: each starts operations, another one locks, flushes, fences,
 * unlocks and waits for requests, which completes them all. Needs 2 ranks and MPI_THREAD_MULTIPLE.
 */
#include <mpi.h>
#include <pthread.h>

#include "expect.h"

enum { THREADS = 3, EACH = 5 };

static int rank, size, right;
static MPI_Win win;
static long *mine;
static long got[THREADS][EACH];
static MPI_Request requests[THREADS];

static void *start_some(void *argument)
{
    int me = *(const int *)argument;
    for (int i = 0; i < EACH; i++)
        MPI_Get(&got[me][i], 1, MPI_LONG, right, me * EACH + i, 1, MPI_LONG, win);
    return NULL;
}

static void *request_some(void *argument)
{
    int me = *(const int *)argument;
    static const long one = 1;
    MPI_Accumulate(&one, 1, MPI_LONG, right, me, 1, MPI_LONG, MPI_SUM, win);
    MPI_Rget(&got[me][0], 1, MPI_LONG, right, me, 1, MPI_LONG, win, &requests[me]);
    return NULL;
}

static void *lock_all(void *unused)
{
    MPI_Win_lock_all(0, win);
    return unused;
}

static void *unlock_all(void *unused)
{
    MPI_Win_unlock_all(win);
    return unused;
}

static void in_threads(int n, void *(*run)(void *))
{
    pthread_t threads[THREADS];
    int numbers[THREADS];
    for (int i = 0; i < n; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, run, &numbers[i]);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    EXPECT(provided == MPI_THREAD_MULTIPLE);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    MPI_Win_allocate(THREADS * EACH * sizeof *mine, sizeof *mine, MPI_INFO_NULL, MPI_COMM_WORLD,
                     &mine, &win);
    for (int i = 0; i < THREADS * EACH; i++)
        mine[i] = rank * 100 + i;
    MPI_Win_fence(0, win);
    in_threads(THREADS, start_some);
    MPI_Win_fence(0, win);
    EXPECT(got[1][1] == right * 100 + EACH + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    in_threads(1, lock_all);
    in_threads(THREADS, start_some);
    MPI_Win_flush(right, win);
    in_threads(THREADS, request_some);
    MPI_Waitall(THREADS, requests, MPI_STATUSES_IGNORE);
    in_threads(1, unlock_all);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    in_threads(THREADS, start_some);
    MPI_Win_unlock(right, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return unexpected;
}
