/* SPDX-License-Identifier: BSD-3-Clause */
/* Brings OpenMP into a program that has none. */
#include "plugin.h"

#include <omp.h>

static int start(void)
{
    omp_set_dynamic(0);
    return 0;
}

static int talk(int round)
{
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 10; i++)
            sum += i;
#pragma omp critical
        sum += round;
    }
    return sum != 45 + 2 * round;
}

static int end(void)
{
    return 0;
}

const struct plugin plugin = {start, talk, end};
