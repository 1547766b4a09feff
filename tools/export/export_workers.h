/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pass through the events, by several workers; the output is the same for any number of
 * workers.
 *
 * Output in the order of time: each worker reads all events and keeps the open calls and messages,
 * the smaller part of the work, but makes only the text of every n-th slice. The first worker gets
 * all text and writes the output. Sums by location: each worker reads its own locations, and the
 * first worker joins the results.
 */
#ifndef TOOLS_EXPORT_WORKERS_H
#define TOOLS_EXPORT_WORKERS_H

#include "tools/export/export_formats.h"

/*
 * Opens the output, reads and passes on all events, then the final parts; then closes the archive.
 */
void workers_export(struct export *x);

#endif
