/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The efficiencies of a run, as the POP centre of excellence defines them, and how they change from
 * the run with the fewest CPUs on. Names and definitions are rows of compare_figures.def.
 */
#ifndef TOOLS_REPORT_COMPARE_FIGURES_H
#define TOOLS_REPORT_COMPARE_FIGURES_H

#include "tools/report/compare/compare_rows.h"

enum figure {
#define FIGURE(NAME, ...) FIGURE_##NAME,
#include "tools/report/compare/compare_figures.def"
#undef FIGURE
    FIGURES,
    FIGURE_NONE = FIGURES
};

enum figure_form { FORM_IS_SECONDS, FORM_IS_TIMES, FORM_IS_NUMBER, FORM_IS_SHARE, FORM_IS_SCALE };

struct figure_row {
    const char *key;
    const char *title;
    enum figure parent;
    enum figure_form form;
};

extern const struct figure_row figure_rows[FIGURES];

struct run {
    struct report *report;
    const char *program; /* "": not known */
    uint32_t ranks;
    uint32_t threads; /* of each rank; 0: they differ */
    uint64_t cpus;
    const char *no_split; /* why there is no ideal runtime, NULL: there is */
    double instructions;
    double value[FIGURES]; /* not a number: not known */
};

/* All but what needs another run. A run without efficiencies ends the process with a line. */
struct run run_of(struct report *r);

/* The rest, from the first runs: those with the fewest CPUs. */
void run_scale(struct run *run, const struct run *first, size_t n, bool is_weak);

#endif
