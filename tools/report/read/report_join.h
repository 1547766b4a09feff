/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes one report of the parts that workers have found: what one worker alone would have made,
 * in its order. Parts are those of workers 0, 1, ...
 */
#ifndef TOOLS_REPORT_JOIN_H
#define TOOLS_REPORT_JOIN_H

#include "tools/report/read/report_part.h"

/* `notes`: of any worker, for who has read what. */
void join_parts(struct report *r, struct part *parts, size_t n, const struct notes *notes);

#endif
