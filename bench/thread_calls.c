/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of common calls of POSIX threads, in nanoseconds per round, one line a case: "NAME NS".
 * Compiled and run by bench/thread_calls, bare and traced. The C library takes its locks by cheaper
 * instructions while a process has one thread. So these cases come twice: alone, and beside a
 * second thread that sleeps.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/least.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t barrier;
static sem_t semaphore;

static void mutex_pair(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void spin_pair(void)
{
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
}

static void read_pair(void)
{
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void semaphore_pair(void)
{
    sem_post(&semaphore);
    sem_wait(&semaphore);
}

/* Of one thread, so that nobody sleeps and wakes up. */
static void barrier_of_one(void)
{
    pthread_barrier_wait(&barrier);
}

static const struct {
    const char *name;
    void (*round)(void);
} cases[] = {
    {"lock+unlock", mutex_pair},      {"spin_lock+unlock", spin_pair},
    {"rdlock+unlock", read_pair},     {"sem_post+sem_wait", semaphore_pair},
    {"barrier_wait", barrier_of_one},
};

/* By the clock of this thread: the other one sleeps. */
static void measure_all(int threads, int rounds)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        printf("%s,%dT %.1f\n", cases[i].name, threads,
               least_ns(CLOCK_THREAD_CPUTIME_ID, cases[i].round, rounds));
}

static void *sleep_on(void *nothing)
{
    for (;;)
        pause();
    return nothing;
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100000;
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    pthread_barrier_init(&barrier, NULL, 1);
    sem_init(&semaphore, 0, 0);
    measure_all(1, rounds);
    pthread_t sleeper;
    if (pthread_create(&sleeper, NULL, sleep_on, NULL) != 0)
        return 1;
    measure_all(2, rounds);
    fflush(stdout);
    _exit(0);
}
