/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is written appears whole or not at all: under another name first, which is gone when the
 * process ends before its time.
 */
#ifndef TOOLS_EXPORT_OUTPUT_H
#define TOOLS_EXPORT_OUTPUT_H

#include "tools/export/export.h"

/* Sets x->part, and with `has_stream` x->out. */
void output_open(struct export *x, bool has_stream);

/* For an output that is a directory: a file NAME.csv for each name in it. */
void output_open_directory(struct export *x, const char *const *names, size_t n);
FILE *output_file(struct export *x, const char *name);

void output_close(struct export *x);

#endif
