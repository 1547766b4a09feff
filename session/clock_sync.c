/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/clock_sync.h"

/* The largest difference between the true rate and the nominal rate of a clock that runs freely. */
static const double drift_max = 1e-4;

/* Readers round halves to the even neighbour. All relevant offsets are far below 2^52. */
static int64_t round_even(double x)
{
    const double big = 4503599627370496.0; /* 2^52: from here on there are no fractions */
    const double limit = 9223372036854775808.0;
    if (x > -big && x < big)
        x = x < 0 ? x - big + big : x + big - big;
    return x >= -limit && x < limit ? (int64_t)x : INT64_MIN;
}

static double distance(uint64_t from, uint64_t to)
{
    return to >= from ? (double)(to - from) : -(double)(from - to);
}

/* ---- one measurement ---- */

/*
 * Exchanges about as fast as the fastest exchange: CONFIRMED_FAST are enough if the fastest
 * exchange is fast, CONFIRMED in any case.
 */
enum { EXCHANGES_MIN = 10, CONFIRMED_FAST = 8, CONFIRMED = 40 };

static const double near = 1.5;      /* a time up to this factor is about as fast as the fastest */
static const double fast_s = 250e-6; /* there and back, across a slow network */
static const double budget_s = 0.2;

void spur_clock_probe_init(struct spur_clock_probe *probe, double ticks_per_second,
                           double other_ticks_per_second)
{
    *probe = (struct spur_clock_probe){.rate = other_ticks_per_second / ticks_per_second,
                                       .ticks_per_second = ticks_per_second};
}

void spur_clock_probe_add(struct spur_clock_probe *probe, uint64_t sent, uint64_t answered,
                          uint64_t received)
{
    if (probe->exchanges == 0) {
        probe->own = sent;
        probe->other = answered;
    }
    double start = distance(probe->own, sent);
    double end = distance(probe->own, received);
    double middle = distance(probe->other, answered) / probe->rate;
    double forth = middle - start, back = end - middle, before = probe->forth + probe->back;
    bool is_first = probe->exchanges++ == 0;
    if (is_first || forth < probe->forth) {
        probe->forth = forth;
        probe->forth_at = start;
    }
    if (is_first || back < probe->back) {
        probe->back = back;
        probe->back_at = end;
    }
    double fastest = probe->forth + probe->back;
    if (before > near * fastest)
        probe->confirmed = 0;
    if (forth + back <= near * fastest)
        probe->confirmed++;
    probe->last = end;
}

bool spur_clock_probe_is_done(const struct spur_clock_probe *probe)
{
    double second = probe->ticks_per_second;
    if (probe->exchanges < EXCHANGES_MIN)
        return false;
    bool is_fast = probe->forth + probe->back <= fast_s * second;
    return probe->confirmed >= (is_fast ? CONFIRMED_FAST : CONFIRMED) ||
           probe->last >= budget_s * second;
}

struct spur_clock_reading spur_clock_probe_reading(const struct spur_clock_probe *probe)
{
    double apart = probe->back_at - probe->forth_at;
    double round_trip = probe->forth + probe->back + 2 * drift_max * (apart < 0 ? -apart : apart);
    int64_t at = round_even((probe->forth_at + probe->back_at) / 2);
    double ahead = (probe->forth - probe->back) / 2;
    return (struct spur_clock_reading){probe->own + (uint64_t)at,
                                       probe->other +
                                           (uint64_t)round_even(((double)at + ahead) * probe->rate),
                                       round_trip > 0 ? (uint64_t)round_trip + 1 : 1};
}

/* ---- the line ---- */

static void put(struct spur_clock_line *line, int i, const struct spur_clock_point *point,
                double rate, uint64_t time)
{
    line->time[i] = time;
    line->offset[i] = (int64_t)(point->reference - point->local) +
                      round_even((rate - 1) * distance(point->local, time));
    line->error[i] = point->error;
}

/* Do the two points tell the rate of the clock better than the nominal rate does? */
static bool tell_rate(const struct spur_clock_point *a, const struct spur_clock_point *b)
{
    double local = distance(a->local, b->local);
    double reference = distance(a->reference, b->reference);
    return local > 0 && reference > 0 && a->error + b->error <= drift_max * reference;
}

void spur_clock_line_fit(struct spur_clock_line *line, const struct spur_clock_point *points,
                         uint32_t n, double rate, uint64_t begin, uint64_t end)
{
    const struct spur_clock_point *first = &points[0], *last = &points[n - 1];
    line->is_shifted = true;
    line->n = 2;
    if (n > 1 && tell_rate(first, last)) {
        put(line, 0, first, rate, first->local);
        put(line, 1, last, rate, last->local);
        return;
    }
    const struct spur_clock_point *best = first;
    for (uint32_t i = 1; i < n; i++)
        if (points[i].error < best->error)
            best = &points[i];
    put(line, 0, best, rate, begin);
    put(line, 1, best, rate, end > begin ? end : begin + 1);
}

/* The slope of the offset behind the last pair: not as steep as a jump has made the line. */
static double tail_slope(double rate, double last_rate)
{
    const double most = spur_clock_drift_max;
    double slope = last_rate > 0 ? rate / last_rate - 1 : 0;
    return slope < most && slope > -most ? slope : 0;
}

void spur_clock_line_bend(struct spur_clock_line *line, const struct spur_clock_pair *pairs,
                          uint32_t n, const struct spur_clock_pair *origin, double rate,
                          double last_rate)
{
    const double error_ns = 1000; /* of a place between two pairs, commonly */
    const double tail = 1e9 * rate + 1;
    *line = (struct spur_clock_line){.is_shifted = true};
    for (; line->n < n && line->n < SPUR_CLOCK_POINTS; line->n++) {
        const struct spur_clock_pair *pair = &pairs[line->n];
        double ns = distance(origin->monotonic, pair->monotonic);
        line->time[line->n] = pair->ticks;
        line->offset[line->n] =
            (int64_t)(origin->ticks + (uint64_t)round_even(ns * rate) - pair->ticks);
        line->error[line->n] = error_ns * rate;
    }
    uint32_t i = line->n;
    if (i >= SPUR_CLOCK_POINTS)
        return;
    line->time[i] = line->time[i - 1] + (uint64_t)tail;
    int64_t change = round_even(tail_slope(rate, last_rate) * tail);
    line->offset[i] = (int64_t)((uint64_t)line->offset[i - 1] + (uint64_t)change);
    line->error[i] = line->error[i - 1];
    line->n++;
}

uint64_t spur_clock_line_at(const struct spur_clock_line *line, uint64_t time)
{
    if (!line->is_shifted)
        return time;
    uint32_t i = 0;
    while (i + 2 < line->n && time > line->time[i + 1])
        i++;
    int64_t change = (int64_t)((uint64_t)line->offset[i + 1] - (uint64_t)line->offset[i]);
    double slope = (double)change / (double)(line->time[i + 1] - line->time[i]);
    return time + (uint64_t)line->offset[i] +
           (uint64_t)round_even(slope * distance(line->time[i], time));
}

double spur_clock_line_error(const struct spur_clock_line *line)
{
    double worst = 0;
    for (uint32_t i = 0; i < line->n; i++)
        worst = line->error[i] > worst ? line->error[i] : worst;
    return worst;
}

void spur_clock_line_shift(struct spur_clock_line *line, uint64_t by, uint64_t begin, uint64_t end)
{
    if (!line->is_shifted) {
        line->time[0] = begin;
        line->time[1] = end > begin ? end : begin + 1;
        line->is_shifted = true;
        line->n = 2;
    }
    for (uint32_t i = 0; i < line->n; i++)
        line->offset[i] = (int64_t)((uint64_t)line->offset[i] + by);
}
