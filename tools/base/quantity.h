/* SPDX-License-Identifier: BSD-3-Clause */
/* Times and sizes as users write them: a number with a unit. Numbers that are the same on each
 * processor. */
#ifndef TOOLS_QUANTITY_H
#define TOOLS_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

/* Reads the text up to `end`: 10us, 1.5 (seconds), 2min; 4G, 100 (bytes). Negative: a mistake. */
double quantity_seconds(const char *text, const char *end);
double quantity_bytes(const char *text, const char *end);

/* FROM..TO, of which one may be missing: 0, or without end (INFINITY). */
bool quantity_window(const char *text, double *from, double *to);

/* The number without its fraction: 0 if it is negative or none, the greatest one if it is greater.
 * A plain conversion of these is another number on each processor, and so is what a long double
 * keeps of a number. */
uint64_t quantity_whole(double value);

/* The part of `all` that `part` is of `whole`, which is not less. */
uint64_t quantity_share(uint64_t all, uint64_t part, uint64_t whole);

#endif
