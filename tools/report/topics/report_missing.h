/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What somebody wanted to be left out of the archive: calls of a name (SPUR_FILTER), groups of MPI
 * calls (SPUR_MPI), short calls (SPUR_MIN_DURATION). The time of the first two is not known, and
 * counts for what called them; that of short calls is, all of them together.
 */
#ifndef TOOLS_REPORT_MISSING_H
#define TOOLS_REPORT_MISSING_H

#include <stdbool.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"

struct report;

struct missing {
    LIST(const char *) regions; /* names, each once */
    const char *groups;         /* the only ones of MPI that were recorded, NULL: the usual ones */
};

/* When the definitions are read. */
void missing_make(struct report *r);

/* Whether calls of MPI may be missing that take time: then nobody knows what a rank does outside.
 */
bool missing_mpi(const struct report *r);

void missing_remarks(struct report *r);

#endif
