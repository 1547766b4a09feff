/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What several runs have in common, by name: seconds and calls of each run, for regions, processes,
 * call paths, call sites or waits. What a run does not have took no time there.
 */
#ifndef TOOLS_REPORT_COMPARE_ROWS_H
#define TOOLS_REPORT_COMPARE_ROWS_H

#include "tools/report/show/report_sections.h"

enum rows_kind {
    ROWS_REGIONS,
    ROWS_FRAMED, /* regions, and what they are of, in the time that efficiencies cover */
    ROWS_PROCESSES,
    ROWS_CALLPATHS,
    ROWS_SITES,
    ROWS_WAITS,
    ROWS_KINDS
};

/* One thing in one run. */
struct rows_entry {
    const char *name;
    const char *of; /* a second name; "": there is none */
    double seconds;
    uint64_t calls; /* 0: nobody counts them */
    uint32_t run;
};

/* One thing in all runs. */
struct row {
    const char *name;
    const char *of;
    double *seconds; /* by run */
    uint64_t *calls;
};

struct rows {
    uint32_t n_runs;
    LIST(struct rows_entry) entries;
    LIST(struct row) all;
};

/* Of runs that are read; texts are borrowed from them. */
struct rows rows_of(enum rows_kind kind, struct report *const *runs, uint32_t n);
void rows_free(struct rows *rows);

/* Of values that are numbers: the one in the middle, or the mean of both; not a number: none. */
struct spread {
    double median;
    double least;
    double most;
    uint32_t n;
};

struct spread spread_of(const double *values, size_t n);

#endif
