/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rows of a comparison, by name: seconds and calls of each run, for regions, processes, call paths,
 * call sites or waits. A name that is missing in a run took no time in the run.
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

/* A name in one run. */
struct rows_entry {
    const char *name;
    const char *of; /* a second name; "": there is none */
    double seconds;
    uint64_t calls; /* 0: calls are not counted */
    uint32_t run;
};

/* A name in all runs. */
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

/* The rows of reports that are complete. Texts are borrowed from the reports. */
struct rows rows_of(enum rows_kind kind, struct report *const *runs, uint32_t n);
void rows_free(struct rows *rows);

/* Statistics of the values that are numbers, without NAN. */
struct spread {
    double median; /* the mean of the two values in the middle of an even number; NAN: no values */
    double least;
    double most;
    uint32_t n;
};

struct spread spread_of(const double *values, size_t n);

#endif
