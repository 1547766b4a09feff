/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Clocks of different hosts, compared: from exchanges of messages to a reading of two clocks at one
 * moment, and from such readings to the straight line that turns one clock's times into the
 * other's. Pure functions: no clock is read here, nothing is sent.
 */
#ifndef SPUR_CLOCK_SYNC_H
#define SPUR_CLOCK_SYNC_H

#include <stdbool.h>
#include <stdint.h>

#include "session/clock_watch.h"

/* ---- one measurement: many exchanges ---- */

/*
 * Two clocks at one moment: the other one showed `other` when this one showed `own`, give or take
 * half of `round_trip`, whatever share of that time each direction took.
 */
struct spur_clock_reading {
    uint64_t own;        /* ticks of this process's clock */
    uint64_t other;      /* ticks of the other one */
    uint64_t round_trip; /* ticks of this process's clock */
};

/*
 * In each exchange a word goes forth and comes back with the time at which it was answered. How
 * long each way takes cannot be told apart from what the clocks differ by, but no way takes less
 * than no time: so the fastest way forth bounds the difference on one side and the fastest way back
 * on the other. They may be of different exchanges, which matters where processes share processors:
 * few exchanges are then fast in both directions.
 */
struct spur_clock_probe {
    double rate;             /* ticks of the other clock per own tick, nominally */
    double ticks_per_second; /* of the own clock, roughly */
    uint64_t own, other;     /* of the first exchange: the others are counted from here */
    double forth, forth_at;  /* the fastest way forth and when that was, in own ticks */
    double back, back_at;
    double last; /* end of the last exchange */
    uint32_t exchanges;
    uint32_t confirmed; /* exchanges that were about as fast as can be */
};

void spur_clock_probe_init(struct spur_clock_probe *probe, double ticks_per_second,
                           double other_ticks_per_second);

/* An exchange: sent and received by this clock, answered with a reading of the other one. */
void spur_clock_probe_add(struct spur_clock_probe *probe, uint64_t sent, uint64_t answered,
                          uint64_t received);

/*
 * Will more exchanges hardly make it better? They end when several were about as fast as the
 * fastest ways together, sooner if these are fast, else after a fifth of a second.
 */
bool spur_clock_probe_is_done(const struct spur_clock_probe *probe);

/* The result. There was an exchange. */
struct spur_clock_reading spur_clock_probe_reading(const struct spur_clock_probe *probe);

/* ---- from local times to the trace's ---- */

/* What is known of a clock at one moment: its ticks and the reference's, and how sure that is. */
struct spur_clock_point {
    uint64_t local;
    uint64_t reference;
    double error; /* ticks of the reference */
};

enum { SPUR_CLOCK_POINTS = SPUR_CLOCK_PAIRS + 3 };

/*
 * ClockOffset records, two for a line, or more where it bends; time + offset is the reference's
 * time, linear between and beyond them. Zeroed: the clock is the reference.
 */
struct spur_clock_line {
    bool is_shifted;
    uint32_t n;
    uint64_t time[SPUR_CLOCK_POINTS];
    int64_t offset[SPUR_CLOCK_POINTS];
    double error[SPUR_CLOCK_POINTS];
};

/*
 * The line through the first and the last of n > 0 points, in the order of their local times. If
 * these lie so close together that their errors count for more than a clock's own drift, the line
 * goes through the better one with the nominal rate. Durations then stay what they were.
 *   rate         ticks of the reference per local tick, by what is known of the frequencies
 *   begin, end   local times of the first and last event, where the records are put in that case
 */
void spur_clock_line_fit(struct spur_clock_line *line, const struct spur_clock_point *points,
                         uint32_t n, double rate, uint64_t begin, uint64_t end);

/*
 * Through all n > 1 pairs, to the times of a clock that shows `origin` and keeps the system's time
 * at `rate` ticks in a ns. Behind the last pair `last_rate` goes on; 0: `rate`.
 */
void spur_clock_line_bend(struct spur_clock_line *line, const struct spur_clock_pair *pairs,
                          uint32_t n, const struct spur_clock_pair *origin, double rate,
                          double last_rate);

/* The reference's time for a local one: bit by bit what readers of ClockOffset records compute. */
uint64_t spur_clock_line_at(const struct spur_clock_line *line, uint64_t time);

/* The largest error of its points. */
double spur_clock_line_error(const struct spur_clock_line *line);

/* Move the reference's zero. */
void spur_clock_line_shift(struct spur_clock_line *line, uint64_t by, uint64_t begin, uint64_t end);

#endif
