/* SPDX-License-Identifier: BSD-3-Clause */
/* How programs that are compared bare and traced measure. */
#ifndef BENCH_LEAST_H
#define BENCH_LEAST_H

#include <time.h>

enum { BATCHES = 7 };

static inline double cpu_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Per turn, in ns of `clock`; the least of some batches: whatever else the machine does only adds.
 */
static inline double least_of(clockid_t clock, void (*turn)(void), int turns, int batches)
{
    double least = 0;
    for (int batch = 0; batch < batches; batch++) {
        double from = cpu_ns(clock);
        for (int i = 0; i < turns; i++)
            turn();
        double ns = (cpu_ns(clock) - from) / turns;
        if (batch == 0 || ns < least)
            least = ns;
    }
    return least;
}

static inline double least_ns(clockid_t clock, void (*turn)(void), int turns)
{
    return least_of(clock, turn, turns, BATCHES);
}

#endif
