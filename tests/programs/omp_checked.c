/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_checked MODE: what archives of OpenMP tell that rules of `spur check` must know:
 *   rounds  short parallel regions: constructs end and begin at one time
 *   alone   many teams of one thread
 *   exit    one of TASKS tasks calls exit(8), when all threads have begun
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 20, ALONE = 20000, TASKS = 20, STATUS = 8 };

static int rounds(void)
{
    int n = 0;
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel reduction(+ : n) num_threads(2)
        n++;
    }
    printf("%d\n", n);
    return 0;
}

static int alone(void)
{
    double sum = 0;
    for (int round = 0; round < ALONE; round++) {
#pragma omp parallel reduction(+ : sum) num_threads(1)
        for (int i = 0; i < 200; i++)
            sum += i * 1e-9;
    }
    return sum > 0 ? 0 : 1;
}

static int exits(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
#pragma omp single
        {
            for (int i = 0; i < TASKS; i++) {
#pragma omp task firstprivate(i)
                if (i == TASKS / 2)
                    exit(STATUS);
            }
#pragma omp taskwait
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "alone") == 0)
        return alone();
    return argc == 2 && strcmp(argv[1], "exit") == 0 ? exits() : rounds();
}
