/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times and sizes as users write them: a number with a unit. Besides: conversions of numbers with
 * the same result on each processor.
 */
#ifndef TOOLS_QUANTITY_H
#define TOOLS_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the text up to `end`: 10us, 1.5 (seconds), 2min; 4G, 100 (bytes). Negative: a mistake. */
double quantity_seconds(const char *text, const char *end);
double quantity_bytes(const char *text, const char *end);

/* FROM..TO; a missing FROM is 0, a missing TO is without end (INFINITY). */
bool quantity_window(const char *text, double *from, double *to);

/*
 * The number without its fraction: 0 if the number is negative or not a number, the greatest number
 * if it is greater. For negative or too great numbers a plain conversion differs from processor to
 * processor; the precision of a long double does too.
 */
uint64_t quantity_whole(double value);

/* The share of `all` in the proportion of `part` to `whole`; `part` is at most `whole`. */
uint64_t quantity_share(uint64_t all, uint64_t part, uint64_t whole);

#endif
