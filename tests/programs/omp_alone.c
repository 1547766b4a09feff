/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_alone: a region whose teams have one thread, and one whose teams have one or two in turn. */
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { ALONE = 2000, TURNS = 6, WORK_MS = 20 };

static void sleep_ms(int ms)
{
    struct timespec time = {.tv_nsec = ms * 1000000L};
    nanosleep(&time, NULL);
}

int main(void)
{
    long sum = 0, threads = 0;
    for (int i = 0; i < ALONE; i++) {
#pragma omp parallel num_threads(1) reduction(+ : sum)
        {
            sum += i;
#pragma omp barrier
        }
    }
    for (int i = 0; i < TURNS; i++) {
#pragma omp parallel num_threads(1 + i % 2) reduction(+ : threads)
        {
            threads++;
            if (!omp_get_thread_num())
                sleep_ms(WORK_MS);
        }
    }
    printf("%ld %ld\n", sum, threads);
    return 0;
}
