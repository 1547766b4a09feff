/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/clock_watch.h"

/* Closer pairs tell a rate badly: the error of a reading is about 100 ns. */
static const double stretch_ns = 20e6, reading_ns = 300;
static const double off_ns = 10e3, off_rate = 20e-6; /* a larger distance is off the line */
static const double jump_ns = 100e3; /* a smaller distance may also be another rate for a while */
const double spur_clock_drift_max = 2e-3;

double spur_clock_pair_off(const struct spur_clock_pair *from, const struct spur_clock_pair *to,
                           double rate)
{
    double ticks = (double)(int64_t)(to->ticks - from->ticks);
    return ticks / rate - (double)(int64_t)(to->monotonic - from->monotonic);
}

static double absolute(double x)
{
    return x < 0 ? -x : x;
}

double spur_clock_tolerance(double apart_ns)
{
    double least = off_rate * apart_ns > 2 * reading_ns ? off_rate * apart_ns : 2 * reading_ns;
    return least < off_ns ? least : off_ns;
}

static void put(struct spur_clock_pair *at, struct spur_clock_pair pair)
{
    __atomic_store_n(&at->monotonic, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&at->ticks, pair.ticks, __ATOMIC_RELEASE);
    __atomic_store_n(&at->monotonic, pair.monotonic, __ATOMIC_RELEASE);
}

static void set_last(struct spur_clock_watch *w, struct spur_clock_pair pair)
{
    uint32_t other = !(w->newest & 1);
    put(&w->last[other], pair);
    w->newest = other;
}

/* Full: every second pair goes, from the second pair on. The rest stays in order at any moment. */
static void thin(struct spur_clock_watch *w)
{
    for (uint32_t i = 1; i < SPUR_CLOCK_PAIRS / 2; i++)
        put(&w->pair[i], w->pair[2 * (size_t)i]);
    w->n = SPUR_CLOCK_PAIRS / 2;
}

static void keep(struct spur_clock_watch *w, struct spur_clock_pair pair)
{
    if (w->n >= SPUR_CLOCK_PAIRS)
        thin(w);
    put(&w->pair[w->n], pair);
    w->n++;
}

static double rate_of(const struct spur_clock_pair *a, const struct spur_clock_pair *b)
{
    return (double)(b->ticks - a->ticks) / (double)(b->monotonic - a->monotonic);
}

/*
 * The known line: the last stretch of the line, and the distance of the pair from the line, in ns.
 */
struct standing {
    struct spur_clock_pair from, last;
    double apart; /* from the newest pair */
    bool has_line, is_off, has_gone_back;
    double off;
};

static struct standing stand(const struct spur_clock_watch *w, const struct spur_clock_pair *pair)
{
    uint32_t n = w->n;
    struct standing at = {.last = w->last[w->newest & 1]};
    if (!n || n > SPUR_CLOCK_PAIRS || pair->monotonic <= at.last.monotonic)
        return at;
    at.has_gone_back = pair->ticks < at.last.ticks;
    if (pair->ticks <= at.last.ticks)
        return at;
    at.from = w->pair[n - 1];
    at.apart = (double)(pair->monotonic - at.last.monotonic);
    double known = (double)(at.last.monotonic - at.from.monotonic);
    at.has_line = known >= stretch_ns && w->rate > 0;
    at.off = w->rate > 0 ? spur_clock_pair_off(&at.last, pair, w->rate) : 0;
    double unsure =
        at.has_line ? reading_ns * (1 + at.apart / known) : spur_clock_drift_max * at.apart;
    double most = at.has_line ? spur_clock_tolerance(at.apart) : off_ns;
    at.is_off = absolute(at.off) > unsure && absolute(at.off) > most;
    return at;
}

/*
 * The line has a bend or a jump between the newest pair and the present pair: both pairs stay. A
 * jump lies in the quiet time before the present pair.
 */
static void bend(struct spur_clock_watch *w, const struct standing *at, struct spur_clock_pair pair,
                 uint64_t quiet_since)
{
    const struct spur_clock_pair last = at->last;
    if (w->n && last.ticks > w->pair[w->n - 1].ticks)
        keep(w, last);
    if (absolute(at->off) > jump_ns && quiet_since > last.ticks && quiet_since < pair.ticks) {
        double ns = (double)(quiet_since - last.ticks) / w->rate;
        uint64_t then = last.monotonic + (uint64_t)ns;
        if (then >= pair.monotonic) /* the rate is an older rate */
            then = pair.monotonic - 1;
        if (then > last.monotonic)
            keep(w, (struct spur_clock_pair){quiet_since, then});
    }
    keep(w, pair);
    set_last(w, pair);
    w->bends++;
    if (at->has_line)
        return;
    double rate = rate_of(&last, &pair);
    if (absolute(rate - w->candidate) < spur_clock_drift_max * rate)
        w->rate = rate;
    w->candidate = rate;
}

double spur_clock_watch_off(struct spur_clock_watch *watch, const struct spur_clock_pair *pair,
                            uint64_t *newest)
{
    if (atomic_exchange(&watch->is_taken, 1))
        return 0;
    const struct standing at = stand(watch, pair);
    double off = at.is_off ? at.off * watch->rate : 0;
    if (at.has_gone_back)
        off = (double)(int64_t)(pair->ticks - at.last.ticks);
    *newest = at.last.ticks;
    atomic_store(&watch->is_taken, 0);
    return off;
}

bool spur_clock_watch_line(struct spur_clock_watch *watch, struct spur_clock_pair *newest,
                           double *rate)
{
    if (atomic_exchange(&watch->is_taken, 1))
        return false;
    *newest = watch->last[watch->newest & 1];
    *rate = watch->rate;
    atomic_store(&watch->is_taken, 0);
    return true;
}

static void add(struct spur_clock_watch *w, struct spur_clock_pair pair, uint64_t quiet_since)
{
    const struct standing at = stand(w, &pair);
    if ((at.is_off || at.has_line) && absolute(at.off) > w->worst)
        w->worst = absolute(at.off);
    if (!w->n) {
        keep(w, pair);
        set_last(w, pair);
    } else if (at.is_off) {
        bend(w, &at, pair, quiet_since);
    } else if (at.apart >= stretch_ns) {
        set_last(w, pair);
        w->rate = rate_of(&at.from, &pair);
    }
}

void spur_clock_watch_add(struct spur_clock_watch *watch, struct spur_clock_pair pair,
                          uint64_t quiet_since)
{
    if (atomic_exchange(&watch->is_taken, 1))
        return;
    add(watch, pair, quiet_since);
    atomic_store(&watch->is_taken, 0);
}

uint32_t spur_clock_pairs_append(struct spur_clock_pair *out, uint32_t n,
                                 struct spur_clock_pair pair)
{
    if (!pair.monotonic ||
        (n && (pair.ticks <= out[n - 1].ticks || pair.monotonic <= out[n - 1].monotonic)))
        return n;
    out[n] = pair;
    return n + 1;
}

uint32_t spur_clock_watch_pairs(const struct spur_clock_watch *watch, struct spur_clock_pair *out)
{
    uint32_t n = 0, kept = watch->n;
    for (uint32_t i = 0; i < kept && i < SPUR_CLOCK_PAIRS; i++)
        n = spur_clock_pairs_append(out, n, watch->pair[i]);
    return spur_clock_pairs_append(out, n, watch->last[watch->newest & 1]);
}

static void move(struct spur_clock_pair *pair, uint32_t n, int64_t ns)
{
    for (uint32_t i = 0; i < n; i++)
        if (pair[i].monotonic)
            pair[i].monotonic += (uint64_t)ns;
}

void spur_clock_watch_move(struct spur_clock_watch *watch, int64_t ns)
{
    move(watch->last, sizeof watch->last / sizeof watch->last[0], ns);
    move(watch->pair, SPUR_CLOCK_PAIRS, ns);
}

double spur_clock_pairs_rate(const struct spur_clock_pair *pairs, uint32_t n, double known,
                             double *longest_ns)
{
    double rate = known;
    *longest_ns = 0;
    for (uint32_t i = 1; i < n; i++) {
        double ns = (double)(pairs[i].monotonic - pairs[i - 1].monotonic);
        double found = rate_of(&pairs[i - 1], &pairs[i]);
        if (ns > *longest_ns && absolute(found - known) < spur_clock_drift_max * known) {
            *longest_ns = ns;
            rate = found;
        }
    }
    return rate;
}
