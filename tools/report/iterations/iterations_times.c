/* SPDX-License-Identifier: BSD-3-Clause */
/* The times of iterations: quartiles, the slowest iteration, and the drift. */
#include <math.h>
#include <stdlib.h>

#include "tools/report/iterations/iterations_parts.h"

enum {
    BIN_ITERATIONS = 2, /* a bin has at least so many, */
    BINS_LEAST = 7,     /* unless fewer bins than that would result */
    BINS_MOST = 32,
    SLOW_FACTOR = 5, /* of the median: an exception */
};

static const double least_growth = 0.1; /* of the first bins: a drift */
static const double least_order = 0.6;  /* Kendall's tau of the bins, likewise; */
static const double least_sigmas = 3.1; /* above the value by chance */

uint64_t loop_ticks(const struct loop *loop, size_t i)
{
    uint64_t begin = i ? loop->ends[i - 1] : loop->begin;
    return loop->ends[i] > begin ? loop->ends[i] - begin : 0;
}

static void swap(uint64_t *a, uint64_t *b)
{
    uint64_t kept = *a;
    *a = *b;
    *b = kept;
}

/* The k-th smallest; the values change places. */
static uint64_t select_value(uint64_t *values, size_t n, size_t k)
{
    size_t low = 0;
    size_t high = n - 1;
    while (low < high) {
        uint64_t pivot = values[low + (high - low) / 2];
        size_t i = low;
        size_t j = high;
        for (;; i++, j--) {
            while (values[i] < pivot)
                i++;
            while (values[j] > pivot)
                j--;
            if (i >= j)
                break;
            swap(&values[i], &values[j]);
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[low];
}

/* The value such that a share k / 4 of all values are less, or equal. */
static uint64_t quartile(uint64_t *values, size_t n, size_t k)
{
    return select_value(values, n, (n - 1) * k / 4);
}

/* ---- drift ---- */

struct bins {
    double medians[BINS_MOST];
    size_t n;
};

static struct bins bins_of(uint64_t *ticks, size_t n)
{
    struct bins bins = {.n = n / BIN_ITERATIONS};
    bins.n = bins.n < BINS_LEAST ? BINS_LEAST : bins.n;
    bins.n = bins.n > BINS_MOST ? BINS_MOST : bins.n;
    for (size_t i = 0; i < bins.n; i++) {
        size_t begin = n * i / bins.n;
        bins.medians[i] = (double)quartile(ticks + begin, n * (i + 1) / bins.n - begin, 2);
    }
    return bins;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Whether so many more pairs of bins grow than shrink is no chance. */
static bool is_ordered(const struct bins *bins, int more)
{
    double n = (double)bins->n;
    double pairs = n * (n - 1.0) / 2.0;
    double sigma = sqrt(n * (n - 1.0) * (2.0 * n + 5.0) / 18.0);
    return more >= least_order * pairs && more >= least_sigmas * sigma;
}

/* Theil-Sen: the median of the slopes between all pairs. */
static void make_drift(struct loop *loop, const struct bins *bins)
{
    double slopes[BINS_MOST * (BINS_MOST - 1) / 2];
    size_t n = 0;
    int order = 0;
    for (size_t i = 0; i < bins->n; i++)
        for (size_t k = i + 1; k < bins->n; k++) {
            double more = bins->medians[k] - bins->medians[i];
            order += (more > 0.0) - (more < 0.0);
            slopes[n++] = more / (double)(k - i);
        }
    qsort(slopes, n, sizeof *slopes, by_value);
    loop->slope = slopes[n / 2] * (double)bins->n / (double)(loop->n - 1);
    loop->at_first = bins->medians[0];
    loop->at_end = bins->medians[bins->n - 1];
    loop->is_drift =
        is_ordered(bins, order) && loop->at_end - loop->at_first >= least_growth * loop->at_first;
}

/* ---- everything ---- */

void times_make(struct loop *loop)
{
    size_t n = loop->n - 1;
    uint64_t *ticks = take_memory(n * sizeof *ticks);
    loop->first = loop_ticks(loop, 0);
    loop->slowest = 1;
    for (size_t i = 1; i < loop->n; i++) {
        ticks[i - 1] = loop_ticks(loop, i);
        if (ticks[i - 1] > loop_ticks(loop, loop->slowest))
            loop->slowest = i;
    }
    struct bins bins = bins_of(ticks, n); /* before the values change places */
    make_drift(loop, &bins);
    for (size_t k = 1; k <= 3; k++)
        loop->quartiles[k - 1] = quartile(ticks, n, k);
    loop->has_slow = loop->quartiles[1] &&
                     loop_ticks(loop, loop->slowest) > SLOW_FACTOR * loop->quartiles[1] &&
                     (double)loop_ticks(loop, loop->slowest) > SLOW_FACTOR * loop->at_end;
    free(ticks);
}

double loop_drift_ticks(const struct loop *loop)
{
    double more = 0.0;
    for (size_t i = 1; i < loop->n; i++) {
        double ticks = (double)loop_ticks(loop, i);
        ticks = ticks < SLOW_FACTOR * loop->at_end ? ticks : loop->at_end;
        more += ticks > loop->at_first ? ticks - loop->at_first : 0.0;
    }
    return more;
}
