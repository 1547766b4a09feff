/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * omp_gaps MODE: parallel regions with serial code between them, in which workers have nothing to
 * do: plain    teams of THREADS threads, and of two every third time, so that a worker skips a
 * region nested   each of two threads forks teams of two, one after the other teams    leagues of
 * two teams, which execute parallel regions
 */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 6, THREADS = 3, GAP_US = 4000, WORK_US = 500 };

static long done;

static void pass_us(long us)
{
    struct timespec span = {.tv_nsec = us * 1000};
    while (nanosleep(&span, &span))
        ;
}

static void work(void)
{
    pass_us(WORK_US * (omp_get_thread_num() + 1));
#pragma omp atomic
    done++;
}

static void plain(void)
{
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(round % 3 ? THREADS : 2)
        work();
        pass_us(GAP_US);
    }
}

static void nested(void)
{
#pragma omp parallel num_threads(2)
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp parallel num_threads(2)
        work();
        pass_us(GAP_US);
    }
}

static void teams(void)
{
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp teams num_teams(2)
        {
#pragma omp parallel num_threads(2)
            work();
            pass_us(GAP_US);
        }
        pass_us(GAP_US);
    }
}

int main(int argc, char **argv)
{
    const char *mode = argc == 2 ? argv[1] : "plain";
    omp_set_max_active_levels(2);
    if (strcmp(mode, "nested") == 0)
        nested();
    else if (strcmp(mode, "teams") == 0)
        teams();
    else
        plain();
    printf("%ld\n", done);
    return 0;
}
