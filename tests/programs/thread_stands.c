/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two threads that each hold a mutex and want the other's: the main thread waits for both. Tells
 * "main PID NS" once both hold theirs; then the threads go for the other one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t mutexes[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_barrier_t both;

static void *run(void *argument)
{
    const int own = argument != NULL;
    pthread_setname_np(pthread_self(), own ? "right" : "left");
    pthread_mutex_lock(&mutexes[own]);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&mutexes[!own]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    struct timespec now;
    pthread_barrier_init(&both, NULL, 3);
    pthread_create(&threads[0], NULL, run, NULL);
    pthread_create(&threads[1], NULL, run, &both);
    pthread_barrier_wait(&both);
    clock_gettime(CLOCK_REALTIME, &now);
    printf("0 %d %lld\n", (int)getpid(), (long long)now.tv_sec * 1000000000 + now.tv_nsec);
    fflush(stdout);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
