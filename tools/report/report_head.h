/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands above the tables: the run, the most expensive things, and what is odd about it. */
#ifndef TOOLS_REPORT_HEAD_H
#define TOOLS_REPORT_HEAD_H

#include <stdio.h>

#include "tools/report/show/report_table.h"

struct findings;
struct report;

void head_text(struct report *r, const struct findings *found, const struct look *look, FILE *out);
void head_json(struct report *r, size_t n_findings, FILE *out);

#endif
