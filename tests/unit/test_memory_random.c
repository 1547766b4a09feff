/* SPDX-License-Identifier: BSD-3-Clause */
/* links: memory-random m */
/* Samples of bytes: distances are distributed exponentially, and samples stand for what they
 * should. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "wrappers/memory/preload/memory_random.h"

/* A sample stands for its bytes divided by the probability of being one, rounded to a byte. */
Test(memory_random, stands_for)
{
    for (uint64_t mean = 1; mean < UINT64_C(1) << 40; mean = mean * 3 + 1)
        for (uint64_t bytes = 1; bytes < 200 * mean; bytes = bytes * 2 + 1) {
            double want = (double)bytes / -expm1(-(double)bytes / (double)mean);
            double got = (double)memory_random_stands_for(bytes, mean);
            cr_assert(fabs(got - want) <= 0.5 + 1e-12 * want, "%.0f and not %.3f for %lu of %lu",
                      got, want, bytes, mean);
        }
}

/* Of N distances a share of exp(-x) is longer than x times the mean. */
Test(memory_random, distances)
{
    enum { N = 1 << 20 };
    const uint64_t mean = UINT64_C(1) << 32;
    const double limits[] = {0.001, 0.01, 0.1, 0.5, 1, 2, 3, 5, 8};
    enum { LIMITS = sizeof limits / sizeof limits[0] };
    uint32_t longer[LIMITS] = {0};
    uint64_t state = memory_random_seed(1, 2);
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double distance = (double)memory_random_distance(&state, mean) / (double)mean;
        sum += distance;
        for (int k = 0; k < LIMITS; k++)
            longer[k] += distance > limits[k];
    }
    cr_assert(fabs(sum / N - 1) < 5 / sqrt(N), "the mean is %f of what it should be", sum / N);
    for (int k = 0; k < LIMITS; k++) {
        double p = exp(-limits[k]), sigma = sqrt(N * p * (1 - p));
        cr_assert(fabs(longer[k] - N * p) < 5 * sigma, "%u and not %.0f are longer than %f",
                  longer[k], N * p, limits[k]);
    }
}

/* Whether a byte is drawn does not depend on how the bytes are dealt to blocks. */
Test(memory_random, blocks)
{
    enum { N = 1 << 20, MEAN = 4096 };
    for (uint64_t bytes = 16; bytes <= 4096; bytes *= 4) {
        uint64_t state = memory_random_seed(bytes, 0);
        int64_t left = (int64_t)memory_random_distance(&state, MEAN);
        double sum = 0, p = -expm1(-(double)bytes / MEAN);
        for (int i = 0; i < N; i++) {
            left -= (int64_t)bytes;
            if (left >= 0)
                continue;
            sum += (double)memory_random_stands_for(bytes, MEAN);
            left = (int64_t)memory_random_distance(&state, MEAN);
        }
        double want = (double)N * (double)bytes, sigma = (double)bytes * sqrt(N * (1 - p) / p);
        /* Each sample is rounded to a byte. */
        cr_assert(fabs(sum - want) < 5 * sigma + N * p, "%.0f and not %.0f bytes in blocks of %lu",
                  sum, want, bytes);
    }
}

/* Threads and processes draw different samples, and a seed the same again. */
Test(memory_random, seeds)
{
    cr_assert_eq(memory_random_seed(3, 4), memory_random_seed(3, 4));
    for (uint64_t i = 0; i < 1000; i++) {
        cr_assert_neq(memory_random_seed(i, 0), memory_random_seed(i + 1, 0));
        cr_assert_neq(memory_random_seed(7, i), memory_random_seed(7, i + 1));
    }
}
