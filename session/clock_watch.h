/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processor's clock against the system's: pairs of both, from the start of a process to its
 * end. As long as they lie on a line only the first and the newest are kept. Where the line bends
 * or jumps, since the machine was suspended or moved or the rate has changed, a pair stays. The
 * list is in the segment, so that the pairs of a killed process are known, too. Pure functions: no
 * clock is read here.
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
    uint64_t monotonic; /* ns; 0: there is none, or it is being written */
};

/* Zeroed: nothing is known. */
struct spur_clock_watch {
    _Atomic uint32_t is_taken; /* by the thread that is at it */
    _Atomic uint32_t n;        /* pairs that stay */
    _Atomic uint32_t newest;   /* in last[] */
    uint32_t bends;            /* so far */
    double rate;               /* ticks in a ns, as the last good stretch has it; 0: not known */
    double candidate;          /* what a bend would make of it: it counts if the next one agrees */
    double worst;              /* ns that a pair was off the line before it */
    struct spur_clock_pair last[2];
    struct spur_clock_pair pair[SPUR_CLOCK_PAIRS];
};

/*
 * A pair that was read just now. `quiet_since`: since these ticks nothing was recorded, so that a
 * jump may have been anywhere from there on; 0: not known. Threads may come here at once: all but
 * one of them go without.
 */
void spur_clock_watch_add(struct spur_clock_watch *watch, struct spur_clock_pair pair,
                          uint64_t quiet_since);

/*
 * By how many ticks that pair is ahead of what is known, or, as a negative number, behind it; and
 * the ticks of the newest one. 0: it is on the line, or another thread is here.
 */
double spur_clock_watch_off(struct spur_clock_watch *watch, const struct spur_clock_pair *pair,
                            uint64_t *newest);

/* The line that it is on: the newest pair, and the rate, 0: not known. False: another thread is
 * here. */
bool spur_clock_watch_line(struct spur_clock_watch *watch, struct spur_clock_pair *newest,
                           double *rate);

/*
 * What there is, in order, both clocks rising, in `out`, which has room for SPUR_CLOCK_PAIRS + 1.
 * The list may be damaged, or half written.
 */
uint32_t spur_clock_watch_pairs(const struct spur_clock_watch *watch, struct spur_clock_pair *out);

/* All its pairs, as a clock has them that is so many ns ahead of the system's that they are of. */
void spur_clock_watch_move(struct spur_clock_watch *watch, int64_t ns);

/* Put behind n pairs, if both clocks rise; how many there are then. */
uint32_t spur_clock_pairs_append(struct spur_clock_pair *out, uint32_t n,
                                 struct spur_clock_pair pair);

/*
 * Ticks in a ns on the longest stretch between two of n > 1 pairs that is about as fast as is
 * known: another one holds a jump. What is known, if there is none.
 */
double spur_clock_pairs_rate(const struct spur_clock_pair *pairs, uint32_t n, double known,
                             double *longest_ns);

/* More than a line has: by how many ns `to` is off the line with that rate through `from`. */
double spur_clock_pair_off(const struct spur_clock_pair *from, const struct spur_clock_pair *to,
                           double rate);

/* How much a new rate differs from the old one at most: more is a jump. */
extern const double spur_clock_drift_max;

/* More than the clocks may differ by between two pairs that are so many ns apart. */
double spur_clock_tolerance(double apart_ns);

#endif
