/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CALLS uncontended locks and unlocks of a mutex in rounds: the least CPU time of a round, in
 * nanoseconds per Enter or Leave; what bench/metrics traces.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 40, CALLS = 5000, EVENTS = 4 };

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    double least = 1e300;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = cpu_ns();
        for (int i = 0; i < CALLS; i++) {
            pthread_mutex_lock(&mutex);
            pthread_mutex_unlock(&mutex);
        }
        double ns = (cpu_ns() - begin) / CALLS / EVENTS;
        least = ns < least ? ns : least;
    }
    printf("%.1f\n", least);
    return 0;
}
