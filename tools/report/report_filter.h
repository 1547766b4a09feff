/* SPDX-License-Identifier: BSD-3-Clause */
/* --suggest-filter: a file for SPUR_FILTER, made of report_cost.h. */
#ifndef TOOLS_REPORT_FILTER_H
#define TOOLS_REPORT_FILTER_H

#include <stdio.h>

struct report;

/*
 * Writes the rules to a new file, and a line to `out` about what they leave out. Without a region
 * to leave out there is no file, and the line says so.
 */
void filter_suggest(struct report *r, const char *path, FILE *out);

#endif
