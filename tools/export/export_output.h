/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is written appears whole or not at all: under another name first, which is gone when the
 * process ends before its time.
 */
#ifndef TOOLS_EXPORT_OUTPUT_H
#define TOOLS_EXPORT_OUTPUT_H

#include "tools/export/export.h"

/* Sets x->part, and with `has_stream` x->out. A share writes to sinks in place of files. */
void output_open(struct export *x, bool has_stream);

/* For an output that is a directory: a file NAME.csv for each name in it, the i-th a stream. */
void output_open_directory(struct export *x, const char *const *names, size_t n);
FILE *output_file(struct export *x, size_t i, const char *name);

void output_close(struct export *x);

/* In front of the bytes of a stream, on their way from the sinks of a share to who writes. */
struct frame {
    uint64_t stream;
    uint64_t n;
};

/* Empties the sinks: their bytes, in frames, are added to these. NULL: they are dropped. */
void output_take(struct export *x, struct engine_bytes *bytes);

/* Writes such frames. */
void output_put(struct export *x, const char *bytes, size_t n);

#endif
