/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pass through the events, by several workers; what is written is the same for any number.
 *
 * What is written in the order of time: each worker reads all events and keeps what is open, which
 * is the smaller part of the work, but makes the text of every n-th slice of them only. The first
 * worker gets all text and writes it. What is summed up by location: each worker reads its own
 * locations, and the first one joins what the others have found.
 */
#ifndef TOOLS_EXPORT_WORKERS_H
#define TOOLS_EXPORT_WORKERS_H

#include "tools/export/export_formats.h"

/* Opens the output, reads and tells all events, and what comes last; then closes the archive. */
void workers_export(struct export *x);

#endif
