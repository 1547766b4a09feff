/* SPDX-License-Identifier: BSD-3-Clause */
/* The command line of spur report. */
#ifndef TOOLS_REPORT_OPTIONS_H
#define TOOLS_REPORT_OPTIONS_H

#include "tools/report/show/report_sections.h"

enum form { FORM_TEXT, FORM_CSV, FORM_JSON };

enum { SECTIONS_MAX = 32 };

struct options {
    const char *path;
    const char *other; /* of --diff, NULL: none */
    const char *process;
    const char *thread;
    const char *filter; /* of --suggest-filter, NULL: none */
    unsigned threads;   /* that read; 0: as is best */
    int form;           /* enum form */
    bool has_top;
    bool is_chosen[SECTIONS_MAX]; /* by --by */
    bool has_choice;
    const char *by; /* as it was given */
    struct wish wish;
};

/* Ends the process on --help (status 0) and on wrong use (one line, status 2). */
const struct options *report_options(char **words);

#endif
