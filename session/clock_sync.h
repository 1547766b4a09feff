/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Comparison of the clocks of different hosts: from exchanges of messages to readings of two clocks
 * at a moment, and from readings to the line from the times of a clock to the times of another.
 * Pure functions: no clock is read here, nothing is sent.
 */
#ifndef SPUR_CLOCK_SYNC_H
#define SPUR_CLOCK_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "session/clock_watch.h"

/* ---- one measurement: many exchanges ---- */

/*
 * Two clocks at a moment: the other clock showed `other` when the own clock showed `own`, give or
 * take half of `round_trip`, whatever share of the round trip each direction took.
 */
struct spur_clock_reading {
    uint64_t own;        /* ticks of this process's clock */
    uint64_t other;      /* ticks of the other clock */
    uint64_t round_trip; /* ticks of this process's clock */
};

/*
 * In each exchange a word goes forth and comes back with the time of the answer. The time of a way
 * cannot be told apart from the difference of the clocks, but no way takes less than no time. So
 * the fastest way forth bounds the difference from above or below, and the fastest way back bounds
 * the difference from the opposite side. The two ways may be of different exchanges. Where
 * processes share processors, few exchanges are fast in both directions.
 */
struct spur_clock_probe {
    double rate;             /* ticks of the other clock per own tick, nominally */
    double ticks_per_second; /* of the own clock, roughly */
    uint64_t own, other;     /* of the first exchange: times of all exchanges count from here */
    double forth, forth_at;  /* the fastest way forth, and the time of this way in own ticks */
    double back, back_at;
    double last; /* end of the last exchange */
    uint32_t exchanges;
    uint32_t confirmed; /* exchanges about as fast as the fastest ways together */
};

void spur_clock_probe_init(struct spur_clock_probe *probe, double ticks_per_second,
                           double other_ticks_per_second);

/* Adds an exchange: sent and received by the own clock, answered with a reading of the other. */
void spur_clock_probe_add(struct spur_clock_probe *probe, uint64_t sent, uint64_t answered,
                          uint64_t received);

/*
 * Will more exchanges hardly improve the reading? Exchanges end when several were about as fast as
 * the fastest ways together, sooner if the fastest ways are fast, else after a fifth of a second.
 */
bool spur_clock_probe_is_done(const struct spur_clock_probe *probe);

/* The result. There was an exchange. */
struct spur_clock_reading spur_clock_probe_reading(const struct spur_clock_probe *probe);

/* ---- from local times to the trace's ---- */

/* A clock at a moment: ticks of the clock and of the reference, and the error of the two. */
struct spur_clock_point {
    uint64_t local;
    uint64_t reference;
    double error; /* ticks of the reference */
};

enum { SPUR_CLOCK_POINTS = SPUR_CLOCK_PAIRS + 3 };

/*
 * ClockOffset records, two for a line, or more where the line bends; time + offset is the
 * reference's time, linear between and beyond the records. Zeroed: the clock is the reference.
 */
struct spur_clock_line {
    bool is_shifted;
    uint32_t n;
    uint64_t time[SPUR_CLOCK_POINTS];
    int64_t offset[SPUR_CLOCK_POINTS];
    double error[SPUR_CLOCK_POINTS];
};

/*
 * The line through the first and the last of n > 0 points, in the order of local times. If the two
 * points are so close together that the errors count for more than a clock's own drift, the line
 * goes through the better point with the nominal rate. Durations then do not change.
 *   rate         ticks of the reference per local tick, by the known frequencies
 *   begin, end   local times of the first and last event: places of the records in the second case
 */
void spur_clock_line_fit(struct spur_clock_line *line, const struct spur_clock_point *points,
                         uint32_t n, double rate, uint64_t begin, uint64_t end);

/*
 * The line through all n > 1 pairs, to the times of a clock that shows `origin` and keeps the
 * system's time at `rate` ticks in a ns. Behind the last pair `last_rate` goes on; 0: `rate`.
 */
void spur_clock_line_bend(struct spur_clock_line *line, const struct spur_clock_pair *pairs,
                          uint32_t n, const struct spur_clock_pair *origin, double rate,
                          double last_rate);

/* The reference's time for a local time, bit by bit as readers of ClockOffset records compute. */
uint64_t spur_clock_line_at(const struct spur_clock_line *line, uint64_t time);

/* The largest error of the line's points. */
double spur_clock_line_error(const struct spur_clock_line *line);

/* Move the reference's zero. */
void spur_clock_line_shift(struct spur_clock_line *line, uint64_t by, uint64_t begin, uint64_t end);

#endif
