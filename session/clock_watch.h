/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The watch of the processor's clock: pairs of readings of this clock and of the system's clock,
 * from the start of a process to the end. As long as the pairs lie on a line, only the first and
 * the newest pair are kept. Where the line bends or jumps (a suspended or moved machine, a changed
 * rate), a pair stays. The list is in the segment, so the pairs of a killed process are known, too.
 * Pure functions: no clock is read here.
 */
#ifndef SPUR_CLOCK_WATCH_H
#define SPUR_CLOCK_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPUR_CLOCK_PAIRS = 64 };

struct spur_clock_pair {
    uint64_t ticks;     /* of the processor's clock */
    uint64_t monotonic; /* ns; 0: no pair, or a pair that is being written */
};

/* Zeroed: nothing is known. */
struct spur_clock_watch {
    _Atomic uint32_t is_taken; /* by the thread at work in the watch */
    _Atomic uint32_t n;        /* pairs that stay */
    _Atomic uint32_t newest;   /* in last[] */
    uint32_t bends;            /* so far */
    double rate;               /* ticks in a ns on the last good stretch; 0: not known */
    double candidate;          /* rate by a bend: counts if the next pair agrees */
    double worst;              /* largest distance in ns of a pair from the line before the pair */
    struct spur_clock_pair last[2];
    struct spur_clock_pair pair[SPUR_CLOCK_PAIRS];
};

/*
 * Adds a pair read just now. `quiet_since`: nothing was recorded since these ticks, so a jump may
 * have been anywhere from there on; 0: not known. If several threads come at once, the pair of the
 * first thread is added.
 */
void spur_clock_watch_add(struct spur_clock_watch *watch, struct spur_clock_pair pair,
                          uint64_t quiet_since);

/*
 * The number of ticks by which `pair` is ahead of the known line; negative: behind the line. 0: on
 * the line, or another thread is at work in the watch. `newest`: the ticks of the newest kept pair.
 */
double spur_clock_watch_off(struct spur_clock_watch *watch, const struct spur_clock_pair *pair,
                            uint64_t *newest);

/*
 * The present line: the newest pair, and the rate (0: not known). False: another thread is at work
 * in the watch.
 */
bool spur_clock_watch_line(struct spur_clock_watch *watch, struct spur_clock_pair *newest,
                           double *rate);

/*
 * Copies all pairs to `out` (room for SPUR_CLOCK_PAIRS + 1 pairs), in order, both clocks rising.
 * The list in the segment may be damaged, or half written.
 */
uint32_t spur_clock_watch_pairs(const struct spur_clock_watch *watch, struct spur_clock_pair *out);

/* Moves all pairs to a system's clock that is `ns` ahead of the present system's clock. */
void spur_clock_watch_move(struct spur_clock_watch *watch, int64_t ns);

/* Puts a pair behind n pairs, if both clocks rise; returns the new number of pairs. */
uint32_t spur_clock_pairs_append(struct spur_clock_pair *out, uint32_t n,
                                 struct spur_clock_pair pair);

/*
 * Ticks in a ns on the longest stretch between two of n > 1 pairs. A stretch whose rate differs
 * from the rate `known` by more than a drift holds a jump and does not count. `known` without a
 * stretch.
 */
double spur_clock_pairs_rate(const struct spur_clock_pair *pairs, uint32_t n, double known,
                             double *longest_ns);

/* The distance in ns of `to` from the line with the given rate through `from`. */
double spur_clock_pair_off(const struct spur_clock_pair *from, const struct spur_clock_pair *to,
                           double rate);

/* The largest relative change of a rate: a larger change is a jump. */
extern const double spur_clock_drift_max;

/* The largest distance in ns of a pair on the line, `apart_ns` after the pair before. */
double spur_clock_tolerance(double apart_ns);

#endif
