/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `keeper` holds queue_lock four times, 50 ms each, while three `worker`s wait for it: it sleeps
 * or, with MPI, waits for a message from rank 1. Says where, and at the end "held NS": what it has
 * measured from before the acquisitions to behind the releases. Other locks are variables too, and
 * are never waited for.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

#include "said.h"

enum { WORKERS = 3, ROUNDS = 4, HOLD_US = 50000 };

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    long jobs[8];
    pthread_mutex_t lock[2];
} pool;
pthread_rwlock_t table_lock;
static pthread_barrier_t all;

static long long now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static void *work(void *unused)
{
    pthread_setname_np(pthread_self(), "worker");
    for (int i = 0; i < ROUNDS; i++) {
        pthread_barrier_wait(&all);
        pthread_mutex_lock(&queue_lock);
        pthread_mutex_unlock(&queue_lock);
        pthread_barrier_wait(&all);
    }
    return unused;
}

static void hold(void)
{
#ifdef WITH_MPI
    int value = 0;
    MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    AT(MPI_Recv, &value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#else
    usleep(HOLD_US);
#endif
}

static void keep(void)
{
    long long held = 0;
    char text[64];
    for (int i = 0; i < ROUNDS; i++) {
        long long begin = now();
        AT(pthread_mutex_lock, &queue_lock);
        pthread_barrier_wait(&all);
        hold();
        pthread_mutex_unlock(&queue_lock);
        held += now() - begin;
        pthread_barrier_wait(&all);
    }
    int n = snprintf(text, sizeof text, "held %lld\n", held);
    if (write(STDOUT_FILENO, text, (size_t)n) != n)
        _exit(1);
}

static void take(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
}

static void run(void)
{
    static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *heap = calloc(1, sizeof *heap);
    pthread_t thread[WORKERS];
    pthread_barrier_init(&all, NULL, WORKERS + 1);
    pthread_rwlock_init(&table_lock, NULL);
    take(&inner);
    take(&pool.lock[1]);
    take(heap);
    pthread_rwlock_rdlock(&table_lock);
    pthread_rwlock_unlock(&table_lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    keep();
    for (int i = 0; i < WORKERS; i++)
        pthread_join(thread[i], NULL);
    free(heap);
}

int main(int argc, char **argv)
{
    pthread_setname_np(pthread_self(), "keeper");
#ifdef WITH_MPI
    int rank, level, value = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        run();
    for (int i = 0; i < ROUNDS && rank == 1; i++) {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(HOLD_US);
        MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
#else
    (void)argc, (void)argv;
    run();
#endif
    return 0;
}
