/* SPDX-License-Identifier: BSD-3-Clause */
/* Times and sizes as users write them: a number with a unit. */
#ifndef TOOLS_QUANTITY_H
#define TOOLS_QUANTITY_H

#include <stdbool.h>

/* Reads the text up to `end`: 10us, 1.5 (seconds), 2min; 4G, 100 (bytes). Negative: a mistake. */
double quantity_seconds(const char *text, const char *end);
double quantity_bytes(const char *text, const char *end);

/* FROM..TO, of which one may be missing: 0, or without end (INFINITY). */
bool quantity_window(const char *text, double *from, double *to);

#endif
