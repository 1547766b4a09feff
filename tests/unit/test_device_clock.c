/* SPDX-License-Identifier: BSD-3-Clause */
/* links: wrappers-device-clock */
/* The clock of a device, learnt from calls: simulated devices whose true times are known. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "wrappers/device/device_clock.h"

TestSuite(device_clock, .timeout = 100);

static uint64_t seed;

static uint64_t below(uint64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 20) % n;
}

static void draw_seed(void)
{
    const char *drawn = getenv("DEVICE_CLOCK_SEED");
    seed = drawn ? strtoull(drawn, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu\n", (unsigned long long)seed);
}

enum { MS = 1000000, CALLS = 2000, ROUNDS = 50 };

/* The device's time at the host's `ns`; the device drifts by `ppm`. */
static uint64_t shown(uint64_t ns, int64_t ahead, int64_t ppm)
{
    return ns + (uint64_t)(ahead + (int64_t)ns * ppm / MS);
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/*
 * The shortest of all calls says most: the middle of the bounds is wrong by at most half of the
 * call's length and by the clock's drift. The device looks at its clock at an unknown moment of a
 * call.
 */
Test(device_clock, keeps_what_the_shortest_call_has_said)
{
    enum { LEARNT = 5000, REAL = 20000, ROUNDING = 2 };
    draw_seed();
    for (int round = 0; round < ROUNDS; round++) {
        struct device_clock clock = {.is_known = false};
        const int64_t ahead = (int64_t)below(2000 * (uint64_t)MS) - 1000 * MS;
        const int64_t ppm = (int64_t)below(100) - 50;
        uint64_t now = UINT64_C(1) << 42, shortest = UINT64_MAX;
        for (int i = 0; i < CALLS; i++) {
            uint64_t begin = now + below(MS);
            uint64_t length = 2000 + below(i % 100 ? 5 * MS : 4000);
            uint64_t queued = begin + below(length);
            uint64_t since = begin + length - now;
            shortest = shortest == UINT64_MAX ? length : shortest + since / LEARNT;
            shortest = length < shortest ? length : shortest;
            device_clock_learn(&clock, shown(queued, ahead, ppm), begin, begin + length);
            now = begin + length;
            uint64_t said = device_clock_host(&clock, shown(now, ahead, ppm));
            cr_assert_leq(distance(said, now), shortest / 2 + length / REAL + ROUNDING,
                          "call %d of round %d: %llu off", i, round,
                          (unsigned long long)distance(said, now));
        }
    }
}

/* A clock that was set begins anew, and is right again at once. */
Test(device_clock, follows_a_clock_that_was_set)
{
    struct device_clock clock = {.is_known = false};
    device_clock_learn(&clock, 5000, 1000100, 1000200);
    device_clock_learn(&clock, 5050, 1000140, 1000260);
    cr_assert_eq(device_clock_host(&clock, 5000), 1000150);
    device_clock_learn(&clock, 90000000, 1000300, 1000400);
    cr_assert_eq(device_clock_host(&clock, 90000010), 1000360);
}

Test(device_clock, lines_lead_there_and_back)
{
    draw_seed();
    for (int i = 0; i < CALLS; i++) {
        const uint64_t ticks = below(UINT64_C(1) << 50), ns = below(UINT64_C(1) << 50);
        const struct device_line line = {{ticks, ticks + 3 * below(1000) * MS + 1},
                                         {ns, ns + 1000 * MS}};
        uint64_t at = ns + below(2000 * (uint64_t)MS);
        cr_assert_leq(distance(device_line_ns(&line, device_line_ticks(&line, at)), at),
                      1000 * MS / (line.ticks[1] - line.ticks[0]) + 2);
    }
    /* A single reading says only that the clocks go on. */
    const struct device_line point = {{100, 100}, {500, 500}};
    cr_assert_eq(device_line_ticks(&point, 510), 110);
}

/* A long call says little; the end of the work says more. */
Test(device_clock, knows_that_what_was_seen_has_ended)
{
    struct device_clock clock = {.is_known = false};
    device_clock_learn(&clock, 5000, 1004900, 1900000);
    device_clock_learn_end(&clock, 8000, 1008100);
    cr_assert_eq(device_clock_host(&clock, 5000), 1005000);
    device_clock_learn_end(&clock, 9000, 1900000);
    cr_assert_eq(device_clock_host(&clock, 5000), 1005000, "later is no news");
    device_clock_learn_end(&clock, 9000, 1000000);
    cr_assert_eq(device_clock_host(&clock, 5000), 1005000, "what cannot be says nothing");
}
