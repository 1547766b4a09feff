/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops in a sequence of calls, found from what repeats. A call is a symbol, for example "MPI_Bcast
 * at solver.c:40".
 *
 * A symbol cuts the sequence into segments: each goes from behind one of its calls to the next one.
 * The shape of a segment is its symbols in the order in which they come first; so it does not
 * matter how often a loop within repeats them. A segment is usual if it has the most frequent shape
 * and between half and twice the mean number of calls. A symbol is a beat if
 *
 *     it occurs BEATS_LEAST times or more,
 *     3 of 4 of its segments are usual, or more,
 *     usual segments take half of the time of the sequence, or more.
 *
 * Beats with the same number of calls are of one loop. Its iterations end with the beat whose last
 * call is the last one. A loop within has at least twice as many iterations.
 *
 * Of a symbol whose calls are no beat the last calls of its runs may be one (beats_cuts.h), in a
 * loop within those of beats. And where the lengths of a beat's segments come again with a period,
 * a period is an iteration, unless that is the loop around it.
 */
#ifndef TOOLS_REPORT_BEATS_H
#define TOOLS_REPORT_BEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BEATS_LEAST = 8,
    BEATS_LOOPS = 3,  /* so many are looked for, the outermost first */
    BEATS_TRIES = 24, /* so many symbols are looked at more closely, and of a loop: */
    BEATS_TRIES_OF_LOOP = 3,
    BEATS_INNER = 2, /* a loop within has so many times the iterations, at least */
};

/* Borrowed arrays. Times, in any unit, do not decrease. */
struct beats {
    const uint32_t *symbols; /* less than n_symbols */
    const uint64_t *times;
    size_t n;
    uint32_t n_symbols;
};

struct beat_loop {
    uint32_t symbol; /* whose calls end the iterations */
    size_t n;        /* iterations */
    size_t first;    /* the call with which the first iteration begins */
    double share;    /* of usual segments in the time */
    bool *is_end;    /* by call of the symbol; NULL: each ends an iteration. To be freed. */
    size_t n_calls;
};

/*
 * The loops of a sequence, those with fewest iterations first; returns how many. is_agreed: by
 * symbol, whether it may be a beat.
 */
size_t beats_find(const struct beats *b, const bool *is_agreed,
                  struct beat_loop loops[BEATS_LOOPS]);

#endif
