/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading an archive: from a path to a filled struct report. */
#ifndef TOOLS_REPORT_READ_H
#define TOOLS_REPORT_READ_H

#include <stdbool.h>

struct report;

/*
 * Reads an archive, DIR or its .otf2 file. One that cannot be read at all ends the process with a
 * line that names it; if events cannot be read to their end, r->trouble says why.
 */
void report_read(struct report *r, const char *path, bool has_progress);

#endif
