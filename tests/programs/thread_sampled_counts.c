/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The main thread and three others use a known CPU time each. Prints a line for each: its number,
 * and what its CPU clock says of its work, in nanoseconds.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { THREADS = 4, NS = 1000000000, MS = 1000000, ROUNDS = 20000 };

static const int milliseconds[THREADS] = {250, 500, 1000, 1500}; /* of the main thread first */
static int64_t used[THREADS];

static int64_t cpu_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

__attribute__((noinline)) double burn(int64_t until)
{
    volatile double x = 1;
    while (cpu_time() < until)
        for (int i = 0; i < ROUNDS; i++)
            x = x * 1.0000001 + 0.1;
    return x;
}

static void *work(void *argument)
{
    int number = (int)(intptr_t)argument;
    int64_t begin = cpu_time();
    burn(begin + (int64_t)milliseconds[number] * MS);
    used[number] = cpu_time() - begin;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (intptr_t i = 1; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, work, (void *)i) != 0)
            return 1;
    work(NULL);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        printf("%d %lld\n", i, (long long)used[i]);
    return 0;
}
