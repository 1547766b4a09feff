/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops in a sequence of calls, found by repetition. A call is a symbol, for example "MPI_Bcast at
 * solver.c:40".
 *
 * A symbol cuts the sequence into segments: each segment goes from behind a call of the symbol to
 * its next call. The shape of a segment is its symbols in the order in which they come first; so it
 * does not matter how often an inner loop repeats the symbols. A segment is usual if it has the
 * most frequent shape and between half and twice the mean number of calls. A symbol is a beat if
 *
 *     it occurs BEATS_LEAST times or more,
 *     3 of 4 of its segments are usual, or more,
 *     usual segments take half of the time of the sequence, or more.
 *
 * Beats with the same number of calls belong to the same loop. The iterations of the loop end with
 * the beat whose last call comes last. An inner loop has at least twice as many iterations.
 *
 * If the calls of a symbol are no beat, the last calls of its runs may be a beat (beats_cuts.h), in
 * a loop inside the loops of beats. If the lengths of a beat's segments repeat with a period, a
 * period is an iteration, unless the period is the loop around.
 */
#ifndef TOOLS_REPORT_BEATS_H
#define TOOLS_REPORT_BEATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BEATS_LEAST = 8,
    BEATS_LOOPS = 3,  /* number of loops looked for, the outermost first */
    BEATS_TRIES = 24, /* number of symbols looked at more closely, and of a loop: */
    BEATS_TRIES_OF_LOOP = 3,
    BEATS_INNER = 2, /* factor between the iterations of a loop and of an inner loop, at least */
};

/* Borrowed arrays. Times, in any unit, do not decrease. */
struct beats {
    const uint32_t *symbols; /* less than n_symbols */
    const uint64_t *times;
    size_t n;
    uint32_t n_symbols;
};

struct beat_loop {
    uint32_t symbol; /* symbol whose calls end the iterations */
    size_t n;        /* iterations */
    size_t first;    /* the call with which the first iteration begins */
    double share;    /* of usual segments in the time */
    bool *is_end; /* by call of the symbol: ends an iteration; NULL: all calls do. To be freed. */
    size_t n_calls;
};

/*
 * The loops of a sequence, the loop with the fewest iterations first; returns the number of loops.
 * is_agreed: by symbol, whether the symbol may be a beat.
 */
size_t beats_find(const struct beats *b, const bool *is_agreed,
                  struct beat_loop loops[BEATS_LOOPS]);

#endif
