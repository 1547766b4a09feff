/* SPDX-License-Identifier: BSD-3-Clause */
/* What is written appears whole or not at all (tools/base/part_file.h). */
#ifndef TOOLS_EXPORT_OUTPUT_H
#define TOOLS_EXPORT_OUTPUT_H

#include "tools/export/export.h"

/* Sets x->out with `has_stream`; else part_file_path() is the file. A share writes to sinks. */
void output_open(struct export *x, bool has_stream);

/* For an output that is a directory: a file NAME.csv for each name in it, the i-th a stream. */
void output_open_directory(const struct export *x, const char *const *names, size_t n);
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
