/* SPDX-License-Identifier: BSD-3-Clause */
#include "wrappers/memory/preload/memory_random.h"

/* splitmix64, of Steele, Lea and Flood. */
static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

uint64_t memory_random_seed(uint64_t seed, uint64_t number)
{
    uint64_t state = seed;
    state = next(&state) + number;
    return next(&state);
}

/*
 * -ln(n / 2^53) for n from 1 to 2^53. With n = m * 2^k, m from 1 to 2, this is (53 - k) * ln 2 -
 * ln m, and ln m = 2 artanh((m - 1) / (m + 1)), whose argument is a third at most.
 */
static double minus_log(uint64_t n)
{
    enum { BITS = 53, LAST = 31 };
    const double ln2 = 0.69314718055994530942;
    int k = 63 - __builtin_clzll(n);
    double m = (double)n / (double)(UINT64_C(1) << k);
    double x = (m - 1) / (m + 1), power = x, sum = 0;
    for (int i = 1; i <= LAST; i += 2, power *= x * x)
        sum += power / i;
    return (BITS - k) * ln2 - 2 * sum;
}

uint64_t memory_random_distance(uint64_t *state, uint64_t mean)
{
    enum { REST = 11 }; /* bits more than 53 */
    const double most = 4e18;
    double distance = minus_log((next(state) >> REST) + 1) * (double)mean;
    return distance < most ? (uint64_t)distance : (uint64_t)most;
}

/* 1 - exp(-x): the series for an x below 1/2, from which p(2x) = p(x) * (2 - p(x)) leads back. */
static double probability(double x)
{
    enum { LAST = 18, SURE = 64 };
    int doubled = 0;
    if (x > SURE)
        return 1;
    while (x > 0.5) {
        x /= 2;
        doubled++;
    }
    double term = x, p = 0;
    for (int i = 2; i <= LAST; i++) {
        p += term;
        term *= -x / i;
    }
    for (; doubled; doubled--)
        p *= 2 - p;
    return p;
}

uint64_t memory_random_stands_for(uint64_t bytes, uint64_t mean)
{
    return (uint64_t)((double)bytes / probability((double)bytes / (double)mean) + 0.5);
}
