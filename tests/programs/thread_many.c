/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 1000 threads one after the other, then 64 that live at the same time. Threads that have ended
 * must leave no memory behind, those that live cost at most 64 KiB each, traced or not. The
 * arguments, if any, are the two numbers.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "expect.h"

enum { WARM_UP = 100, SLACK_KIB = 1024, THREAD_KIB = 64 };

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

int main(int argc, char **argv)
{
    long before = peak_kib();
    int in_turn = argc > 1 ? atoi(argv[1]) : 1000;
    int at_once = argc > 2 ? atoi(argv[2]) : 64;
    for (int i = 0; i < in_turn; i++) {
        pthread_t thread;
        EXPECT(pthread_create(&thread, NULL, nothing, NULL) == 0);
        EXPECT(pthread_join(thread, NULL) == 0);
        if (i == WARM_UP)
            before = peak_kib();
    }
    EXPECT(in_turn <= WARM_UP || peak_kib() - before <= SLACK_KIB);
    before = peak_kib();
    pthread_t *thread = calloc((size_t)at_once + 1, sizeof *thread);
    if (at_once)
        pthread_barrier_init(&barrier, NULL, (unsigned)at_once);
    for (int i = 0; i < at_once; i++)
        EXPECT(pthread_create(&thread[i], NULL, meets, NULL) == 0);
    for (int i = 0; i < at_once; i++)
        EXPECT(pthread_join(thread[i], NULL) == 0);
    EXPECT(peak_kib() - before <= (long)at_once * THREAD_KIB + SLACK_KIB);
    free(thread);
    return unexpected;
}
