/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of many processes or threads in few rows: the least, the mean, the greatest, outliers. */
#ifndef TOOLS_REPORT_DIGEST_H
#define TOOLS_REPORT_DIGEST_H

#include "tools/report/show/report_table.h"

/* At most `most` rows; what left_out counts are the rows that are not in it. */
struct table digest_table(const struct table *t, size_t most);

#endif
