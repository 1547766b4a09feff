/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planted CAUSE: a job with a single cause of trouble, at lines with comments about the cause:
 *   late       a message goes from rank 1 to 2, 3 and 0; rank 1 is late by its work behind the
 *              barrier, and rank 0 waits for the work three steps later
 *   imbalance  rank 1 works longer than all other ranks before an Allreduce
 *   lock       two threads of rank 1 wait for a lock of the main thread
 *   pinned     each rank binds itself to the first processor
 *   ranks      each rank receives from the next rank; an alarm ends the ranks
 *   locks      two threads of rank 1 hold a lock each and want both; an alarm ends the threads
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STANDS_S = 3, ROUNDS = 2, SLOW_US = 400000, USUAL_US = 20000, BUSY_MS = 200, WAITERS = 2 };

static int rank, size, value;

static void late(void)
{
    const int left = (rank + size - 1) % size;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Barrier(MPI_COMM_WORLD); /* late: cause */
        usleep(rank == 1 ? SLOW_US : USUAL_US);
        if (rank != 1)
            MPI_Recv(&value, 1, MPI_INT, left, 0, MPI_COMM_WORLD, /* late: waits */
                     MPI_STATUS_IGNORE);
        if (rank != 0)
            MPI_Send(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD);
    }
}

static void imbalance(void)
{
    int sum;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Barrier(MPI_COMM_WORLD); /* imbalance: cause */
        usleep(rank == 1 ? SLOW_US : USUAL_US);
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* imbalance: waits */
    }
}

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pair[] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t all;

static void *want(void *unused)
{
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&queue_lock); /* lock: waits */
    pthread_mutex_unlock(&queue_lock);
    return unused;
}

static void lock(void)
{
    pthread_t thread[WAITERS];
    if (rank != 1) {
        usleep(SLOW_US);
        return;
    }
    pthread_barrier_init(&all, NULL, WAITERS + 1);
    for (int i = 0; i < WAITERS; i++)
        pthread_create(&thread[i], NULL, want, NULL);
    pthread_mutex_lock(&queue_lock); /* lock: cause */
    pthread_barrier_wait(&all);
    usleep(SLOW_US);
    pthread_mutex_unlock(&queue_lock);
    for (int i = 0; i < WAITERS; i++)
        pthread_join(thread[i], NULL);
}

static void pinned(void)
{
    cpu_set_t allowed, first;
    struct timespec now = {0};
    int core = 0;
    sched_getaffinity(0, sizeof allowed, &allowed);
    while (!CPU_ISSET(core, &allowed))
        core++;
    CPU_ZERO(&first);
    CPU_SET(core, &first);
    sched_setaffinity(0, sizeof first, &first);
    while (now.tv_sec == 0 && now.tv_nsec < BUSY_MS * 1000000L)
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
}

static void ranks(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    alarm(STANDS_S);
    MPI_Recv(&value, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, /* ranks: waits */
             MPI_STATUS_IGNORE);
}

static void *cross(void *is_right)
{
    pthread_mutex_lock(&pair[is_right != NULL]);
    pthread_barrier_wait(&all);
    pthread_mutex_lock(&pair[is_right == NULL]); /* locks: waits */
    return NULL;
}

static void locks(void)
{
    pthread_t left, right;
    if (rank != 1)
        return;
    alarm(STANDS_S);
    pthread_barrier_init(&all, NULL, 2);
    pthread_create(&left, NULL, cross, NULL);
    pthread_create(&right, NULL, cross, &all);
    pthread_join(left, NULL);
    pthread_join(right, NULL);
}

static const struct {
    const char *name;
    void (*run)(void);
} causes[] = {{"late", late},     {"imbalance", imbalance}, {"lock", lock},
              {"pinned", pinned}, {"ranks", ranks},         {"locks", locks}};

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof causes / sizeof *causes; i++)
        if (strcmp(argv[1], causes[i].name) == 0)
            causes[i].run();
    MPI_Finalize();
    return 0;
}
