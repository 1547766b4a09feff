/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a location's clock to the trace's: between two ClockOffset records the offset is
 * interpolated, in front of the first and behind the last pair extrapolated. Inline, because it is
 * done for each timestamp.
 */
#ifndef READER_CLOCK_H
#define READER_CLOCK_H

#include "reader/location_state.h"

/* Where in the points a reader is. Zeroed: at the begin. */
struct otf2_clock {
    OTF2_TimeStamp begin; /* of the interval */
    OTF2_TimeStamp end;
    int64_t offset; /* at its begin */
    double slope;
    uint64_t next; /* number of the interval behind this one; 0: no interval yet */
};

static inline void otf2_clock_step(struct otf2_clock *c, const struct otf2_clock_points *points)
{
    const struct otf2_clock_point *from = &points->points[c->next++];
    const struct otf2_clock_point *to = from + 1;
    int64_t change = (int64_t)((uint64_t)to->offset - (uint64_t)from->offset);
    c->begin = from->time;
    c->end = to->time;
    c->offset = from->offset;
    c->slope = (double)change / (double)(to->time - from->time);
}

/* Rounds to an integer, halves to the even one, as rint(3) would without a library. */
static inline int64_t otf2_clock_round(double x)
{
    const double big = 4503599627370496.0;      /* 2^52: from here on there are no fractions */
    const double limit = 9223372036854775808.0; /* 2^63 */
    if (x > -big && x < big)
        x = x < 0 ? x - big + big : x + big - big;
    return x >= -limit && x < limit ? (int64_t)x : INT64_MIN;
}

/*
 * The time of the trace for one of the location. Times should not decrease from call to call: the
 * interval never moves back. There must be two points.
 */
static inline OTF2_TimeStamp otf2_clock_correct(struct otf2_clock *c,
                                                const struct otf2_clock_points *points,
                                                OTF2_TimeStamp time)
{
    while (!c->next || (time > c->end && c->next + 1 < points->n))
        otf2_clock_step(c, points);
    double distance = time >= c->begin ? (double)(time - c->begin) : -(double)(c->begin - time);
    return time + (uint64_t)c->offset + (uint64_t)otf2_clock_round(c->slope * distance);
}

#endif
