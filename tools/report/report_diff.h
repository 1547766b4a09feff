/* SPDX-License-Identifier: BSD-3-Clause */
/* What has changed from one archive to another, by the names of regions. */
#ifndef TOOLS_REPORT_DIFF_H
#define TOOLS_REPORT_DIFF_H

#include "tools/report/show/report_sections.h"

extern const struct column columns_diff[];
extern const size_t n_columns_diff;

struct table diff_table(struct report *before, struct report *after, const struct wish *wish);
void diff_head(struct report *before, struct report *after, FILE *out);

#endif
