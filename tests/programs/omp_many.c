/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Much of a few constructs: 10,000 tasks, made by one thread and by all; 2,000 parallel regions, so
 * a definition for each would be seen; three levels of nesting.
 */
#include <omp.h>

#include "expect.h"

enum { TASKS = 10000, REGIONS = 2000, LEVELS = 3 };

static int done;

static void tasks_of_one(void)
{
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < TASKS / 2; i++)
#pragma omp task
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void tasks_of_all(void)
{
#pragma omp parallel
#pragma omp for schedule(dynamic, 50)
    for (int i = 0; i < TASKS / 2; i++)
#pragma omp task
        __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void nest(int level)
{
    __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
    if (level == LEVELS)
        return;
#pragma omp parallel num_threads(2)
    nest(level + 1);
}

int main(void)
{
    tasks_of_one();
    tasks_of_all();
    EXPECT(done == TASKS);

    int sum = 0;
    for (int i = 0; i < REGIONS; i++)
#pragma omp parallel reduction(+ : sum)
        sum++;
    EXPECT(sum == REGIONS * omp_get_max_threads());

    done = 0;
    omp_set_max_active_levels(LEVELS);
    for (int i = 0; i < 10; i++)
        nest(0);
    EXPECT(done == 10 * (1 + 2 + 4 + 8));
    printf("%d tasks, %d regions\n", TASKS, REGIONS);
    return unexpected;
}
