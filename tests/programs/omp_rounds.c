/* SPDX-License-Identifier: BSD-3-Clause */
/* omp_rounds ROUNDS: parallel regions within a call that stays open, with worksharing and locks. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT;
static int rounds;
static long sum;

static void work(void)
{
    for (int round = 0; round < rounds; round++) {
#pragma omp parallel num_threads(2)
        {
            long own = 0;
#pragma omp for
            for (int i = 0; i < 4; i++)
                own += i;
#pragma omp critical
            sum += own;
        }
    }
}

int main(int argc, char **argv)
{
    rounds = argc > 1 ? atoi(argv[1]) : 10;
    pthread_once(&outer, work);
    printf("%ld\n", sum);
    return 0;
}
