/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of spur that answer the next question, where the archive leaves one open. */
#ifndef TOOLS_REPORT_HINTS_H
#define TOOLS_REPORT_HINTS_H

#include <stdio.h>

struct findings;
struct report;

void hints_text(const struct report *r, const struct findings *found, FILE *out);

#endif
