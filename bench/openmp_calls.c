/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of OpenMP constructs, in nanoseconds per round, one line a case: "NAME NS". Compiled by
 * bench/thread_calls with the compiler of each runtime, and run bare and traced, with one thread:
 * with more of them it would be the time that they wait for each other.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/least.h"

static volatile long sum;

static void parallel(int rounds)
{
    for (int i = 0; i < rounds; i++) {
#pragma omp parallel
        sum += i;
    }
}

static void barrier(int rounds)
{
#pragma omp parallel
    for (int i = 0; i < rounds; i++) {
#pragma omp barrier
    }
}

static void critical(int rounds)
{
#pragma omp parallel
    for (int i = 0; i < rounds; i++) {
#pragma omp critical
        sum += i;
    }
}

static void task(int rounds)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < rounds; i++) {
#pragma omp task
        sum += i;
    }
}

static const struct {
    const char *name;
    void (*run)(int rounds);
} cases[] = {{"parallel", parallel}, {"barrier", barrier}, {"critical", critical}, {"task", task}};

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 20000;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double least = 0;
        for (int batch = 0; batch < BATCHES; batch++) {
            double from = cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
            cases[i].run(rounds);
            double ns = (cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - from) / rounds;
            if (batch == 0 || ns < least)
                least = ns;
        }
        printf("%s %.1f\n", cases[i].name, least);
    }
    return 0;
}
