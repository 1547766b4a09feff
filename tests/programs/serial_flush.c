/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * serial_flush THREADS SECONDS LOCKS: each thread takes a lock LOCKS times (0: until SECONDS are
 * over), all of it within nested calls that stay open the whole time.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { THREADS_MAX = 64 };

static pthread_mutex_t shared = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t outer = PTHREAD_ONCE_INIT;
static int seconds;
static long locks;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *work(void *count)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    double end = now() + seconds;
    long n = 0;
    for (; locks ? n < locks : n % 1000 || now() < end; n++) {
        pthread_mutex_lock(&own);
        if (n % 100 == 0)
            pthread_mutex_lock(&shared);
        if (n % 100 == 0)
            pthread_mutex_unlock(&shared);
        pthread_mutex_unlock(&own);
    }
    *(long *)count = n;
    return NULL;
}

static long counts[THREADS_MAX];

static void work_on(void)
{
    work(&counts[0]);
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS_MAX];
    int n = argc > 3 ? atoi(argv[1]) : 1;
    seconds = argc > 3 ? atoi(argv[2]) : 1;
    locks = argc > 3 ? atol(argv[3]) : 0;
    for (int i = 1; i < n && i < THREADS_MAX; i++)
        pthread_create(&thread[i], NULL, work, &counts[i]);
    pthread_once(&outer, work_on);
    for (int i = 1; i < n && i < THREADS_MAX; i++)
        pthread_join(thread[i], NULL);
    if (locks)
        printf("%ld locks\n", locks * n);
    puts("done");
    return 3;
}
