/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that know what they do: they time themselves, and print it as lines "NAME NS". */
#ifndef TRUTH_H
#define TRUTH_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { TRUTH_NS = 1000000000, TRUTH_MS = 1000000 };

static inline int64_t truth_now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * TRUTH_NS + time.tv_nsec;
}

static inline int64_t truth_wall(void)
{
    return truth_now(CLOCK_MONOTONIC);
}

/*
 * Uses CPU time, in the function that it is written in; the time that it used. The clock is read
 * once in so many steps.
 */
static inline __attribute__((always_inline)) int64_t truth_burn_ns(int64_t ns, int steps)
{
    volatile double x = 1;
    int64_t begin = truth_now(CLOCK_THREAD_CPUTIME_ID), end;
    do {
        for (int i = 0; i < steps; i++)
            x = x * 1.0000001 + 0.1;
        end = truth_now(CLOCK_THREAD_CPUTIME_ID);
    } while (end - begin < ns);
    return end - begin;
}

static inline __attribute__((always_inline)) int64_t truth_burn(int milliseconds)
{
    enum { STEPS = 20000 };
    return truth_burn_ns((int64_t)milliseconds * TRUTH_MS, STEPS);
}

static inline void truth_tell(const char *name, int64_t ns)
{
    printf("%s %lld\n", name, (long long)ns);
}

#endif
