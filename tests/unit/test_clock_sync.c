/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish writer m */
/* Clocks compared, on simulated hosts whose true times are known. */
#include <criterion/criterion.h>
#include <math.h>

#include "session/clock_sync.h"

TestSuite(clock_sync, .timeout = 100);

/* A clock: its ticks at a true time in seconds. */
struct host {
    double start;      /* ticks at 0 */
    double per_second; /* true frequency */
    double nominal;    /* what the host believes */
};

static uint64_t ticks(const struct host *h, double t)
{
    return (uint64_t)(h->start + h->per_second * t);
}

static uint64_t seed = 1;

static double uniform(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(seed >> 11) / 9007199254740992.0;
}

/* A network: ways take at least `least`, and `jitter` more on average; some are stuck. */
struct network {
    double forth, back, jitter;
    double stuck, stuck_for; /* how often and for how long */
};

static double way(const struct network *n, double least)
{
    double time = least - n->jitter * log(1 - uniform());
    return uniform() < n->stuck ? time + n->stuck_for * uniform() : time;
}

/* Exchanges from true time `t` on, until it is enough. Returns the true time of the end. */
static double measure(const struct host *own, const struct host *other, const struct network *n,
                      double t, struct spur_clock_reading *reading)
{
    struct spur_clock_probe probe;
    spur_clock_probe_init(&probe, own->nominal, other->nominal);
    do {
        double answered = t + way(n, n->forth), received = answered + way(n, n->back);
        spur_clock_probe_add(&probe, ticks(own, t), ticks(other, answered), ticks(own, received));
        t = received + 1e-7;
    } while (!spur_clock_probe_is_done(&probe));
    *reading = spur_clock_probe_reading(&probe);
    return t;
}

/* By how much, in seconds, the reading is wrong about what the other clock showed. */
static double wrong_by(const struct host *own, const struct host *other,
                       const struct spur_clock_reading *r)
{
    double t = ((double)r->own - own->start) / own->per_second;
    return ((double)r->other - (other->start + other->per_second * t)) / other->per_second;
}

static const struct host one = {5e12, 1e9, 1e9}, late = {1005e12, 1e9 * (1 + 20e-6), 1e9};
static const struct host tsc = {1e15, 2.6e9 * (1 - 30e-6), 2.6e9};

static void expect_bound(const struct host *own, const struct host *other,
                         const struct network *network, double wanted)
{
    for (int i = 0; i < 200; i++) {
        struct spur_clock_reading r;
        double took = measure(own, other, network, 1 + i, &r) - (1 + i);
        double error = fabs(wrong_by(own, other, &r));
        double bound = (double)r.round_trip / own->per_second;
        cr_assert(error <= bound / 2 + 1e-9, "wrong by %g, round trip %g", error, bound);
        cr_assert(error <= wanted, "wrong by %g", error);
        cr_assert(took < 0.3, "took %g s", took);
    }
}

Test(clock_sync, a_quiet_network_is_measured_in_a_few_exchanges)
{
    const struct network quiet = {2e-6, 2e-6, 1e-7, 0, 0};
    struct spur_clock_reading r;
    expect_bound(&one, &late, &quiet, 1e-6);
    expect_bound(&tsc, &one, &quiet, 1e-6);
    expect_bound(&one, &tsc, &quiet, 1e-6);
    cr_assert(measure(&one, &late, &quiet, 1, &r) < 1 + 1e-3);
    cr_assert(r.round_trip < 6000, "%llu", (unsigned long long)r.round_trip);
}

Test(clock_sync, half_of_the_round_trip_bounds_the_error_of_unequal_ways)
{
    const struct network unequal = {50e-6, 2e-6, 1e-6, 0, 0};
    struct spur_clock_reading r;
    expect_bound(&one, &late, &unequal, 27e-6);
    expect_bound(&late, &tsc, &unequal, 27e-6);
    measure(&one, &late, &unequal, 1, &r);
    cr_assert(wrong_by(&one, &late, &r) > 20e-6, "this error is there and cannot be seen");
}

Test(clock_sync, fast_ways_of_different_exchanges_are_combined_on_a_loaded_machine)
{
    /* Each way waits for up to 8 ms three times out of four: few exchanges are fast. */
    const struct network loaded = {30e-6, 30e-6, 5e-6, 0.75, 8e-3};
    double sum = 0;
    for (int i = 0; i < 100; i++) {
        struct spur_clock_reading r;
        double took = measure(&one, &late, &loaded, i, &r) - i;
        double error = fabs(wrong_by(&one, &late, &r));
        cr_assert(error <= (double)r.round_trip / 2e9 + 1e-9);
        cr_assert(took < 0.3, "took %g s", took);
        sum += error;
    }
    cr_assert(sum / 100 < 100e-6, "%g on average", sum / 100);
}

/* ---- lines ---- */

/* The point that says that `own` shows what `reference` does at the true time t, wrong by e s. */
static struct spur_clock_point point(const struct host *own, const struct host *reference, double t,
                                     double wrong, double error)
{
    return (struct spur_clock_point){ticks(own, t),
                                     ticks(reference, t) +
                                         (uint64_t)(int64_t)(wrong * reference->per_second),
                                     error * reference->per_second};
}

/* By how much the line is wrong at true time t, in seconds. */
static double line_wrong(const struct spur_clock_line *line, const struct host *own,
                         const struct host *reference, double t)
{
    return ((double)(int64_t)(spur_clock_line_at(line, ticks(own, t)) - ticks(reference, t))) /
           reference->per_second;
}

static void expect_line(const struct host *own, const struct host *reference, double t0, double t1,
                        double error, double wanted)
{
    const struct spur_clock_point points[] = {point(own, reference, t0, error, error),
                                              point(own, reference, t1, -error, error)};
    struct spur_clock_line line = {.is_shifted = false};
    uint64_t begin = ticks(own, t0 - 0.5), end = ticks(own, t1 + 0.5), last = 0;
    spur_clock_line_fit(&line, points, 2, reference->nominal / own->nominal, begin, end);
    cr_assert(line.is_shifted && line.time[0] < line.time[1]);
    for (int i = 0; i <= 1000; i++) {
        double t = t0 - 0.5 + i * (t1 - t0 + 1) / 1000;
        double wrong = fabs(line_wrong(&line, own, reference, t));
        uint64_t time = spur_clock_line_at(&line, ticks(own, t));
        cr_assert(wrong <= wanted, "wrong by %g at %g", wrong, t);
        cr_assert(time >= last, "time goes back");
        last = time;
    }
}

Test(clock_sync, drift_between_two_measurements_is_corrected)
{
    /* 50 ppm are 30 ms in ten minutes; the frequencies are those of two processors. */
    const struct host other = {7e14, 3.1e9 * (1 + 20e-6), 3.1e9};
    expect_line(&late, &one, 10, 610, 1e-6, 2e-6);
    expect_line(&tsc, &other, 10, 610, 1e-6, 2e-6);
    expect_line(&other, &tsc, 10, 610, 1e-6, 2e-6);
    expect_line(&tsc, &one, 10, 610, 1e-6, 2e-6);
}

Test(clock_sync, measurements_close_together_do_not_change_how_fast_a_clock_runs)
{
    /* 10 ms apart and each wrong by 1 ms: the line between them would run backwards in part. */
    expect_line(&late, &one, 10, 10.01, 1e-3, 1e-3 + 110e-6);
    expect_line(&tsc, &one, 10, 10.0001, 1e-3, 1e-3 + 110e-6);
}

Test(clock_sync, one_measurement_serves_the_whole_run)
{
    const struct spur_clock_point at = point(&tsc, &one, 10, 0, 1e-6);
    struct spur_clock_line line = {.is_shifted = false};
    spur_clock_line_fit(&line, &at, 1, one.nominal / tsc.nominal, ticks(&tsc, 9), ticks(&tsc, 20));
    cr_assert(line.time[0] == ticks(&tsc, 9) && line.time[1] == ticks(&tsc, 20));
    cr_assert(fabs(line_wrong(&line, &tsc, &one, 20)) < 10 * 30e-6 + 1e-6);
    spur_clock_line_fit(&line, &at, 1, one.nominal / tsc.nominal, 77, 77);
    cr_assert(line.time[0] == 77 && line.time[1] == 78, "readers divide by the difference");
}

Test(clock_sync, the_better_of_two_measurements_counts_alone)
{
    const struct spur_clock_point points[] = {point(&late, &one, 10, 4e-3, 5e-3),
                                              point(&late, &one, 10.1, 0, 1e-4)};
    struct spur_clock_line line = {.is_shifted = false};
    spur_clock_line_fit(&line, points, 2, 1, ticks(&late, 9), ticks(&late, 11));
    cr_assert(fabs(line_wrong(&line, &late, &one, 10)) < 2e-4);
    cr_assert(fabs(line.error[0] - 1e5) < 1 && fabs(line.error[1] - 1e5) < 1);
}

Test(clock_sync, times_are_corrected_as_readers_do_it)
{
    /* By the rule in the standard's reader: rint() of slope times distance, modulo 2^64. */
    const struct spur_clock_line line = {true, 2, {1000, 3001}, {-7, 12344}, {0, 0}};
    for (uint64_t t = 0; t < 5000; t++) {
        double slope = (12344.0 + 7) / 2001, d = (double)t - 1000;
        uint64_t wanted = t + (uint64_t)INT64_C(-7) + (uint64_t)(int64_t)rint(slope * d);
        cr_assert(spur_clock_line_at(&line, t) == wanted, "at %llu", (unsigned long long)t);
    }
    const struct spur_clock_line none = {.is_shifted = false};
    cr_assert(spur_clock_line_at(&none, 77) == 77);
}

Test(clock_sync, the_error_is_that_of_the_worst_point)
{
    const struct spur_clock_line line = {true, 3, {1000, 2000, 3000}, {1, 2, 3}, {5, 6, 70}};
    const struct spur_clock_line none = {.is_shifted = false};
    cr_expect(spur_clock_line_error(&line) == 70 && spur_clock_line_error(&none) == 0);
}

Test(clock_sync, zero_is_moved)
{
    struct spur_clock_line line = {.is_shifted = false};
    spur_clock_line_shift(&line, 1000, 5, 5);
    cr_assert(spur_clock_line_at(&line, 5) == 1005 && spur_clock_line_at(&line, 905) == 1905);
    spur_clock_line_shift(&line, 10, 5, 5);
    cr_assert(spur_clock_line_at(&line, 5) == 1015);
}
