/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cost of recording a region: the records, their bytes in the archive, and their CPU time, as
 * far as the cost can be estimated afterwards. Records are counted. Bytes are the share of the
 * region's records in the size of the location's event file. The time of each kind of record was
 * measured with bench/.
 */
#ifndef TOOLS_REPORT_COST_H
#define TOOLS_REPORT_COST_H

#include <stdbool.h>

#include "tools/base/list.h"

struct report;

struct cost {
    uint64_t events; /* Enters and Leaves, and records made while the region was innermost */
    uint64_t calls;  /* calls with an Enter and a Leave */
    uint64_t bytes;
    double seconds;
    bool is_advised; /* a filter should leave the region out */
    uint64_t goes;   /* events of the region that the filter takes away */
    uint64_t goes_bytes;
};

struct costs {
    LIST(struct cost) regions; /* empty: not computed yet */
    struct cost all;           /* sums */
};

/* To be called when all other results are known; a repeated call costs nothing. */
const struct costs *costs_make(struct report *r);

#endif
