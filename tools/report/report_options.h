/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of spur report. */
#ifndef TOOLS_REPORT_OPTIONS_H
#define TOOLS_REPORT_OPTIONS_H

#include "tools/report/compare/report_diff.h"
#include "tools/report/show/report_sections.h"

enum form { FORM_TEXT, FORM_CSV, FORM_JSON };

enum { DIFF_KINDS_MAX = 8 };

struct options {
    char **paths; /* archives: one, or several that are compared; of --diff those before */
    size_t n_paths;
    LIST(const char *) others; /* of --diff: those after */
    bool is_weak;              /* several archives: the problem grows with the CPUs */
    bool takes_any;            /* of any programs */
    const char *process;
    const char *thread;
    double from;        /* --time: seconds */
    double to;          /* 0: there is no window */
    const char *filter; /* of --suggest-filter, NULL: none */
    unsigned threads;   /* that read; 0: as is best */
    bool is_verbose;
    int form; /* enum form */
    bool has_top;
    bool has_causes;                     /* --causes was given: */
    size_t causes;                       /* bytes */
    size_t n_findings;                   /* at most */
    bool is_chosen[SECTIONS_MAX];        /* by --by */
    bool is_diff_chosen[DIFF_KINDS_MAX]; /* with --diff */
    bool has_choice;
    const char *by; /* as it was given; NULL: it was not */
    struct wish wish;
};

/* Ends the process on --help (status 0) and on wrong use (one line, status 2). */
const struct options *report_options(char **words);

#endif
