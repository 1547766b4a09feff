/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 1000 threads one after the other, then 64 that live at the same time. Threads that have ended
 * must leave no memory behind (but for what is recorded of them), those that live
 * cost at most 64 KiB each, traced or not. The arguments, if any, are the two numbers, and how
 * often there are 64.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "expect.h"

enum { WARM_UP = 100, SLACK_KIB = 1024, THREAD_KIB = 64, RECORD_BYTES = 128 };

static pthread_barrier_t barrier;

static void *nothing(void *arg)
{
    return arg;
}

static void *meets(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static long grown_kib(long before, int threads)
{
    return peak_kib() - before - (long)threads * RECORD_BYTES / 1024;
}

static void one_after_the_other(int n)
{
    long before = 0;
    for (int i = 0; i < n; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
        if (i == WARM_UP)
            before = peak_kib();
    }
    EXPECT(n <= WARM_UP || grown_kib(before, n) <= SLACK_KIB);
}

static void at_the_same_time(int n, int times)
{
    long before = peak_kib();
    pthread_t *thread = calloc((size_t)n + 1, sizeof *thread);
    if (n)
        pthread_barrier_init(&barrier, NULL, (unsigned)n);
    for (int round = 0; round < times; round++) {
        for (int i = 0; i < n; i++)
            EXPECT(pthread_create(&thread[i], NULL, meets, NULL) == 0);
        for (int i = 0; i < n; i++)
            EXPECT(pthread_join(thread[i], NULL) == 0);
    }
    EXPECT(grown_kib(before, n * times) <= (long)n * THREAD_KIB + SLACK_KIB);
    free(thread);
}

int main(int argc, char **argv)
{
    one_after_the_other(argc > 1 ? atoi(argv[1]) : 1000);
    at_the_same_time(argc > 2 ? atoi(argv[2]) : 64, argc > 3 ? atoi(argv[3]) : 1);
    return unexpected;
}
