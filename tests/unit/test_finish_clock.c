/* SPDX-License-Identifier: BSD-3-Clause */
/* links: finish format writer */
/* Sessions whose processes read different clocks, as seen by the reference's reader. */
#include <inttypes.h>

#include "session/clock_read.h"
#include "session/stamp.h"
#include "tests/unit/session_build.h"

enum { PID = 5000000, FIRST_CLOCK = 11, CLOCK_DISTANCE = 7 };

static const struct spur_finish_options quiet = {.quiet = true};

TestSuite(finish_clock, .init = enter_fresh_dir, .fini = leave_fresh_dir, .timeout = 100);

static uint64_t clock_id(int rank)
{
    return FIRST_CLOCK + (uint64_t)rank * CLOCK_DISTANCE;
}

/*
 * Rank 0 counts nanoseconds, every later rank half nanoseconds: rank r shows 2 * (t - start). Each
 * rank has an Enter at tick 1000 and a Leave at 1010. The moments are 0.1 s apart.
 */
static void open_rank(struct fake *p, int rank, int size)
{
    uint64_t per_ns = rank ? 2 : 1;
    fake_open(p, "s", (uint32_t)(PID + rank), rank, size);
    fake_define(p, "main");
    fake_events(p, 0, 1);
    p->head.clock = rank ? SPUR_CLOCK_TSC : SPUR_CLOCK_MONOTONIC;
    p->head.clock_id = clock_id(rank);
    p->head.first = (struct spur_moment){START, 50, 7000};
    p->head.last =
        (struct spur_moment){START + per_ns * 100000000, 50 + 100000000, 7000 + 100000000};
}

static void reading(struct fake *p, uint64_t ticks, int rank, uint64_t other, uint64_t round_trip)
{
    BUILD(&p->journal, ClockReading, {ticks}, {clock_id(rank)}, {other}, {round_trip});
}

/* The times of the first two events of a rank by otf2-print, with corrected clocks. */
static void expect_times(int rank, uint64_t enter, uint64_t leave)
{
    char line[1024];
    uint64_t found[2] = {0, 0};
    FILE *pipe = popen(PRINTER " s/traces.otf2 2>&1", "r");
    while (fgets(line, sizeof line, pipe)) {
        bool is_enter = strncmp(line, "ENTER ", 6) == 0;
        if (!is_enter && strncmp(line, "LEAVE ", 6) != 0)
            continue;
        char *at = line + 6;
        uint64_t location = strtoull(at, &at, 10), time = strtoull(at, &at, 10);
        if (location == (uint64_t)rank << 32)
            found[is_enter ? 0 : 1] = time;
    }
    cr_assert(pclose(pipe) == 0);
    cr_assert(found[0] == enter && found[1] == leave,
              "rank %d: %" PRIu64 " and %" PRIu64 ", not %" PRIu64 " and %" PRIu64, rank, found[0],
              found[1], enter, leave);
}

static void expect_properties(const char *wanted)
{
    static char text[1 << 20];
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
    cr_assert(strstr(text, wanted), "%s is missing in\n%s", wanted, text);
}

Test(finish_clock, two_readings_place_a_clock_of_another_frequency)
{
    struct fake p;
    open_rank(&p, 0, 2);
    fake_close(&p, NULL, 0, true);
    open_rank(&p, 1, 2);
    reading(&p, 1000, 0, 7500, 2);
    reading(&p, 200001000, 0, 100007500, 2);
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    expect_times(0, 1000, 1010);
    expect_times(1, 7500, 7505);
    expect_properties("Ticks per Seconds: 1000000000, Global Offset: 1000, Length: 100006500,");
}

Test(finish_clock, one_reading_is_enough_for_a_killed_run)
{
    struct fake p;
    open_rank(&p, 0, 2);
    fake_close(&p, NULL, 0, true);
    open_rank(&p, 1, 2);
    reading(&p, 1000, 0, 7500, 2);
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    expect_times(0, 1000, 1010);
    expect_times(1, 7500, 7505);
}

Test(finish_clock, readings_are_chained_in_either_direction)
{
    struct fake p;
    open_rank(&p, 0, 3);
    reading(&p, 7500, 2, 1000, 2); /* the reference asked: rank 2 showed 1000 at 7500 */
    fake_close(&p, NULL, 0, true);
    open_rank(&p, 1, 3);
    reading(&p, 1000, 2, 5000, 2); /* so in rank 0's time: 7500 + (5000 - 1000) / 2 */
    fake_close(&p, NULL, 0, true);
    open_rank(&p, 2, 3);
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    expect_times(0, 1000, 1010);
    expect_times(1, 9500, 9505);
    expect_times(2, 7500, 7505);
}

Test(finish_clock, the_calendar_places_what_nobody_measured)
{
    struct fake p;
    open_rank(&p, 0, 2);
    fake_close(&p, NULL, 0, true);
    open_rank(&p, 1, 2);
    p.head.first.realtime += 500;
    p.head.last.realtime += 500;
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    expect_times(0, 1000, 1010);
    expect_times(1, 1500, 1505);
}

Test(finish_clock, what_was_before_the_zero_of_the_reference_moves_all)
{
    struct fake p;
    open_rank(&p, 0, 2);
    fake_close(&p, NULL, 0, true);
    open_rank(&p, 1, 2);
    reading(&p, 1000, 0, (uint64_t)-500, 2);
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    expect_times(0, 1500, 1510);
    expect_times(1, 0, 5);
}

Test(finish_clock, a_clock_that_went_ahead_is_put_on_one_line)
{
    static char text[1 << 20];
    /* 9 ns, between the first two events and the next two. */
    const struct spur_clock_pair pairs[] = {{START, 50}, {START + 10, 60}, {START + 20, 61}};
    struct fake p;
    fake_open(&p, "s", PID, 0, 1);
    fake_define(&p, "main");
    fake_events(&p, 0, 2);
    p.head.clock = SPUR_CLOCK_TSC;
    p.head.clock_id = clock_id(0);
    p.head.first = (struct spur_moment){START, 50, 7000};
    p.head.last = (struct spur_moment){START + 100000009, 50 + 100000000, 7000 + 100000000};
    memcpy(p.head.watch.pair, pairs, sizeof pairs);
    p.head.watch.n = 3;
    p.head.watch.last[0] = pairs[2];
    p.head.watch.rate = 1;
    p.head.watch.bends = 1;
    p.head.watch.worst = 9;
    fake_close(&p, NULL, 0, true);
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
    cr_expect(strstr(text, "the times of 1 process are corrected"), "%s", text);
    expect_properties("Ticks per Seconds: 1000000000, Global Offset: 1000, Length: 100000000,");
    expect_times(0, START + 11, START + 21); /* of the last two */
    cr_expect(strstr(text, "TSC, 1000.000000 MHz, at most 0.0 us off CLOCK_MONOTONIC at once"),
              "%s", text);
}

/* A process killed at two ticks in a ns; between the kill and finishing the clock has jumped. */
Test(finish_clock, what_the_clock_did_since_a_kill_moves_nothing)
{
    enum { LASTS = 1000000000, AGO = 5 };
    static char text[1 << 20];
    const struct spur_stamp now = spur_stamp_now();
    const uint64_t began = now.monotonic - (uint64_t)AGO * LASTS;
    struct fake p;
    if (!spur_stamp_ticks(&now, SPUR_CLOCK_HERE))
        return;
    fake_open(&p, "s", PID, 0, 1);
    fake_define(&p, "main");
    fake_events(&p, 0, 2);
    p.head.clock = SPUR_CLOCK_HERE;
    p.head.clock_id = clock_id(0);
    p.head.first = p.head.last =
        (struct spur_moment){START, began, now.realtime - (uint64_t)AGO * LASTS};
    spur_clock_watch_add(&p.head.watch, (struct spur_clock_pair){START, began}, 0);
    spur_clock_watch_add(&p.head.watch, (struct spur_clock_pair){START + 2 * LASTS, began + LASTS},
                         0);
    fake_close(&p, NULL, 0, false);
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
    expect_properties("Ticks per Seconds: 2000000000,");
    cr_expect(strstr(text, "the times of 1 process are corrected"), "%s", text);
    expect_times(0, START + 20, START + 30); /* of the last two */
}

Test(finish_clock, processes_of_other_time_namespaces_have_the_same_clock)
{
    enum { PROCESSES = 3, LASTS = 1000000000 };
    const int64_t ahead[PROCESSES] = {0, 100000 * INT64_C(1000000000), -7};
    const double worst[PROCESSES] = {300, 1600, 0};
    struct fake p;
    for (int i = 0; i < PROCESSES; i++) {
        const uint64_t at = START + (uint64_t)i * 2 * LASTS;
        fake_open(&p, "s", PID + (uint32_t)i, i, PROCESSES);
        fake_define(&p, "main");
        fake_events(&p, 0, 2);
        p.head.clock = SPUR_CLOCK_TSC;
        p.head.clock_id = clock_id(0);
        p.head.first = (struct spur_moment){2 * at, 5000 + at + (uint64_t)ahead[i], 7000 + at};
        p.head.last = (struct spur_moment){2 * (at + LASTS), 5000 + at + LASTS + (uint64_t)ahead[i],
                                           7000 + at + LASTS};
        p.head.watch.worst = worst[i];
        fake_close(&p, NULL, 0, true);
    }
    cr_assert(spur_finish("s", &quiet) == 0);
    expect_properties("Ticks per Seconds: 2000000000,");
    expect_properties("TSC, 2000.000000 MHz, at most 1.6 us off CLOCK_MONOTONIC at once");
}

Test(finish_clock, one_clock_needs_no_records)
{
    static char text[1 << 20];
    struct fake p;
    for (int rank = 0; rank < 2; rank++) {
        open_rank(&p, rank, 2);
        p.head.clock_id = clock_id(0);
        p.head.clock = SPUR_CLOCK_TSC;
        fake_close(&p, NULL, 0, true);
    }
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
    cr_assert(strstr(text, "CLOCK_OFFSET") == NULL, "%s", text);
    expect_times(1, 1000, 1010);
}

/*
 * An emulator gives a process of this host the counter of another processor: the readings of our
 * own counter say nothing about the process.
 */
Test(finish_clock, counter_of_another_processor)
{
    static char text[1 << 20];
    struct fake p;
    open_rank(&p, 0, 1);
    p.head.last.ticks += p.head.last.ticks - p.head.first.ticks; /* two in a ns */
    p.head.clock = SPUR_CLOCK_HERE % SPUR_CLOCK_TIME_CSR + 1;
    fake_close(&p, NULL, 0, false);
    cr_assert(spur_finish("s", &quiet) == 0);
    cr_assert(print_archive("s", text, sizeof text) == 0, "%s", text);
    cr_assert(strstr(text, "Ticks per Seconds: 2000000000,"), "%s", text);
}
