/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several runs of a program side by side. Runs with the same numbers of ranks and threads are
 * repeats of one configuration: of each figure they have the median, the least and the greatest
 * value. Configurations are compared with the one of the fewest CPUs, the first.
 */
#ifndef TOOLS_REPORT_COMPARE_H
#define TOOLS_REPORT_COMPARE_H

#include <stdio.h>

#include "tools/report/compare/compare_figures.h"

struct config {
    uint32_t ranks;
    uint32_t threads; /* of each rank; 0: they differ */
    uint64_t cpus;
    size_t begin; /* its runs, in struct comparison */
    size_t n;
    struct spread figure[FIGURES];
};

struct comparison {
    bool is_weak;          /* the problem grows with the CPUs */
    LIST(struct run) runs; /* by CPUs */
    LIST(struct config) configs;
    struct rows rows;  /* regions of all runs */
    const char *stops; /* what stops the scaling, in sentences */
};

/* Runs of different programs end the process with a line, unless `takes_any`. */
struct comparison compare_runs(struct report *const *reports, size_t n, bool is_weak,
                               bool takes_any);

/* Of the configuration with the most CPUs the run whose runtime is in the middle. */
struct report *compare_last(const struct comparison *c);

/* ---- what is shown ---- */

extern const struct table_form scaling_form;
extern const struct table_form growth_form;

struct table scaling_table(const struct comparison *c);
struct table growth_table(const struct comparison *c);

void compare_text(const struct comparison *c, const struct wish *wish, FILE *out);
void compare_csv(const struct comparison *c, const struct wish *wish, FILE *out);
void compare_json(const struct comparison *c, const struct wish *wish, FILE *out);

/* The definitions of all figures, as Markdown. */
void compare_describe(FILE *out);

/* Parts of compare_runs(), when the configurations are known. */
const char *compare_stops(const struct comparison *c);

/* Seconds of a row in a configuration: the median of its runs; of a CPU where the problem grows. */
double compare_seconds(const struct comparison *c, const struct row *row, const struct config *k);

#endif
