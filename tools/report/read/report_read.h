/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading an archive: from a path to a filled struct report. */
#ifndef TOOLS_REPORT_READ_H
#define TOOLS_REPORT_READ_H

#include <stdbool.h>
#include <stddef.h>

struct report;

/* Fills r->is_selected after the definitions are known, before events are read. */
typedef void report_choice(struct report *r, const void *user);

struct report_how {
    bool has_progress;
    bool has_no_causes;
    bool has_no_iterations;
    size_t budget;    /* of tracks, in bytes; 0: the usual budget */
    double from;      /* seconds since the begin of the trace: begin of a window */
    double to;        /* 0: to the end */
    unsigned workers; /* threads; 0: the best number */
    bool goes_on;     /* another archive is read afterwards */
    bool is_verbose;  /* prints the amount of data sent between the workers */
    bool is_alone;    /* one worker, without the job: a pass that another pass needs */
    report_choice *choose;
    const void *user; /* passed to `choose` */
};

/*
 * Reads an archive, DIR or its .otf2 file. If nothing can be read at all, the process ends with a
 * line that names the archive. If events cannot be read to their end, r->trouble has the reason.
 */
void report_read(struct report *r, const char *path, const struct report_how *how);

#endif
