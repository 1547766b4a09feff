/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What has changed between runs, by name. Several runs before, or after, are repeats: of both sides
 * the medians are compared, and a change is outside of the noise when all values of one side are
 * above all of the other.
 */
#ifndef TOOLS_REPORT_DIFF_H
#define TOOLS_REPORT_DIFF_H

#include "tools/report/compare/compare_rows.h"

/* What can be compared: a table each. */
struct diff_kind {
    struct table_form form;
    const char *words[2]; /* of --by */
    enum rows_kind rows;
    bool has_second_name;
};

extern const struct diff_kind diff_kinds[];
extern const size_t n_diff_kinds;

/* Runs before, and behind them those after. */
struct diff {
    struct report *const *runs;
    uint32_t n[2];
};

/* Sorted, but not cut. `n_outside`: rows outside of the noise; NULL: nobody asks. */
struct table diff_table(const struct diff_kind *kind, const struct diff *diff,
                        const struct wish *wish, size_t *n_outside);

/* What the runs are, and how often ranges are apart by chance. */
void diff_head(const struct diff *diff, FILE *out);

/* Members of JSON in front of the tables. */
void diff_json_head(const struct diff *diff, FILE *out);

#endif
