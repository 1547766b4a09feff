/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One thread that never blocks: it takes a lock that nobody else wants, many times, and works in
 * one line meanwhile. It tells the number of calls, the line, its CPU time and its wall time.
 */
#include <pthread.h>

#include "truth.h"

enum { ROUNDS = 20000, WORK = 9000 };

static volatile double sink;

/* clang-format off */
__attribute__((noinline)) static void hot(void)
{
    for (int i = 0; i < WORK; i++) sink = sink * 1.0000001 + 0.1;
}
enum { HOT_LINE = __LINE__ - 2 };
/* clang-format on */

__attribute__((noinline)) static void step(pthread_mutex_t *mutex)
{
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    hot();
    sink += 1;
}

int main(void)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    int64_t begin = truth_wall(), cpu = truth_now(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < ROUNDS; i++)
        step(&mutex);
    truth_tell("cpu", truth_now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    truth_tell("wall", truth_wall() - begin);
    truth_tell("rounds", ROUNDS);
    truth_tell("line", HOT_LINE);
    return 0;
}
