/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What several runs have in common, by name: seconds and calls of each run, for regions, processes,
 * call paths, call sites or waits. A name that a run does not have took no time in this run.
 */
#ifndef TOOLS_REPORT_COMPARE_ROWS_H
#define TOOLS_REPORT_COMPARE_ROWS_H

#include "tools/report/show/report_sections.h"

enum rows_kind {
    ROWS_REGIONS,
    ROWS_FRAMED, /* regions with their paradigm, in the time that efficiencies cover */
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

/* The rows of runs that have been read, from which texts are borrowed. */
struct rows rows_of(enum rows_kind kind, struct report *const *runs, uint32_t n);
void rows_free(struct rows *rows);

/* Of those values that are numbers. */
struct spread {
    double median; /* the mean of the two values in the middle of an even number; NAN: no values */
    double least;
    double most;
    uint32_t n;
};

struct spread spread_of(const double *values, size_t n);

#endif
