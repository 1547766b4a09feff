/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/iterations/beats_cuts.h"

#include <stdlib.h>

#include "tools/base/fail.h"

/* ---- runs ---- */

/* Hashes of the first i symbols, and what a hash is multiplied by for i more. */
struct hashes {
    uint64_t *of_first;
    uint64_t *powers;
};

static struct hashes hashes_of(const struct beats *b)
{
    static const uint64_t base = 0x9e3779b97f4a7c15u;
    struct hashes h = {take_memory((b->n + 1) * sizeof(uint64_t)),
                       take_memory((b->n + 1) * sizeof(uint64_t))};
    h.powers[0] = 1;
    for (size_t i = 0; i < b->n; i++) {
        h.of_first[i + 1] = h.of_first[i] * base + b->symbols[i] + 1;
        h.powers[i + 1] = h.powers[i] * base;
    }
    return h;
}

static uint64_t hash_of(const struct hashes *h, size_t end, size_t n)
{
    return h->of_first[end] - h->of_first[end - n] * h->powers[n];
}

bool *cuts_of_runs(const struct beats *b)
{
    bool *is_cut = take_memory((b->n + 1) * sizeof *is_cut);
    size_t *ends = take_memory((b->n_symbols + 1) * sizeof *ends); /* of the last call; 0: none */
    struct hashes h = hashes_of(b);
    for (size_t end = 1; end <= b->n; end++) {
        size_t *last = &ends[b->symbols[end - 1]];
        size_t n = end - *last;
        if (*last)
            is_cut[*last - 1] = n > *last || hash_of(&h, end, n) != hash_of(&h, *last, n);
        *last = end;
    }
    for (uint32_t i = 0; i < b->n_symbols; i++)
        if (ends[i])
            is_cut[ends[i] - 1] = true;
    free(ends);
    free(h.of_first);
    free(h.powers);
    return is_cut;
}

/* ---- periods ---- */

enum { PERIOD_MOST = 64, PERIOD_SEGMENTS = 1 << 16 };

static uint64_t length_of(const uint64_t *times, size_t i)
{
    return times[i + 1] - times[i];
}

/*
 * The share of segments that are at most twice as long as the one `lag` before, and at least half
 * as long. The longer of the two counts by its length, up to the mean of all: what is long tells
 * one segment from another.
 */
static double agreement(const uint64_t *times, size_t n, size_t lag)
{
    const uint64_t mean = (times[n] - times[0]) / n;
    double same = 0.0, all = 0.0;
    for (size_t i = lag; i < n; i++) {
        uint64_t a = length_of(times, i), b = length_of(times, i - lag);
        uint64_t longer = a > b ? a : b;
        double weight = (double)(longer < mean ? longer : mean);
        all += weight;
        same += a <= 2 * b && b <= 2 * a ? weight : 0.0;
    }
    return all > 0.0 ? same / all : 0.0;
}

size_t cuts_period(const uint64_t *times, size_t n)
{
    static const double least = 0.25, clear = 0.75, enough = 0.6; /* of the most that agree */
    double by_lag[PERIOD_MOST + 2] = {0.0}, most = 0.0;
    n = n < PERIOD_SEGMENTS ? n : PERIOD_SEGMENTS;
    if (n < BEATS_LEAST)
        return 1;
    size_t lags = n / BEATS_LEAST < PERIOD_MOST ? n / BEATS_LEAST : PERIOD_MOST;
    for (size_t lag = 1; lag <= lags; lag++) {
        by_lag[lag] = agreement(times, n, lag);
        most = by_lag[lag] > most ? by_lag[lag] : most;
    }
    for (size_t lag = 2; lag <= lags && most >= least; lag++)
        if (by_lag[lag] >= enough * most && by_lag[1] <= clear * by_lag[lag] &&
            by_lag[lag] > by_lag[lag - 1] && by_lag[lag] > by_lag[lag + 1])
            return lag;
    return 1;
}
