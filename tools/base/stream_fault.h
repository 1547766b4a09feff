/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether what a command has printed is where the user wanted it. */
#ifndef TOOLS_BASE_STREAM_FAULT_H
#define TOOLS_BASE_STREAM_FAULT_H

#include <stdio.h>

/*
 * Writes out what is left in a stream. NULL: all that was ever printed to it is written; otherwise
 * the reason why a part is not, a static text. The stream is of no use then: a byte may follow.
 */
const char *stream_fault(FILE *file);

/* The same of a stream that is closed here. */
const char *stream_end(FILE *file);

/*
 * From now on the end of the process writes out standard output. If that fails, or has failed,
 * there is one line, unless fail() had one, and the status is fail_status.
 */
void stream_watch_output(void);

#endif
