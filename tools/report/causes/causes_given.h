/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How workers give each other their lines. Threads tell where they are. Ranks of one host tell
 * where these are in memory that they have in common (tools/engine/common.h). What other hosts need
 * goes as a message to one rank of each, which the others of the host look at.
 */
#ifndef TOOLS_REPORT_CAUSES_GIVEN_H
#define TOOLS_REPORT_CAUSES_GIVEN_H

#include "tools/report/causes/causes_lines.h"

/* Zeros that the lines of this worker lie in, for common_free(). */
void *lines_room(const struct lines *lines, size_t bytes);

/* By all workers, when each has its own lines: then each has all. */
void given_lines(struct lines *lines);

/* By all workers, if given_lines() was called. */
void given_close(struct lines *lines);

#endif
