/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading an archive: from a path to a filled struct report. */
#ifndef TOOLS_REPORT_READ_H
#define TOOLS_REPORT_READ_H

#include <stdbool.h>
#include <stddef.h>

struct report;

/* Fills r->is_selected when the definitions are known, before events are read. */
typedef void report_choice(struct report *r, const void *user);

struct report_how {
    bool has_progress;
    bool has_no_causes;
    bool has_no_iterations;
    size_t budget;    /* of tracks, in bytes; 0: the usual one */
    double from;      /* seconds since the begin of the trace: a window */
    double to;        /* 0: to the end */
    unsigned workers; /* threads; 0: as is best */
    bool goes_on;     /* another archive is read behind this one */
    bool is_verbose;  /* says what the workers have sent to each other */
    bool is_alone;    /* a pass that others run has asked: one worker, and nothing of the job */
    report_choice *choose;
    const void *user; /* of it */
};

/*
 * Reads an archive, DIR or its .otf2 file. One that cannot be read at all ends the process with a
 * line that names it; if events cannot be read to their end, r->trouble says why.
 */
void report_read(struct report *r, const char *path, const struct report_how *how);

#endif
