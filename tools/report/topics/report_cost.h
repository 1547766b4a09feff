/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What recording a region has cost: its records, the bytes of the archive and the CPU time that
 * they took, as far as that can be told afterwards. Records are counted; bytes are the location's
 * event file, by the share of its records; time is by what bench/ has measured of each kind.
 */
#ifndef TOOLS_REPORT_COST_H
#define TOOLS_REPORT_COST_H

#include <stdbool.h>

#include "tools/base/list.h"

struct report;

struct cost {
    uint64_t events; /* Enters and Leaves, and what was recorded while it was the innermost */
    uint64_t calls;  /* that have an Enter and a Leave */
    uint64_t bytes;
    double seconds;
    bool is_advised; /* a filter should leave it out, */
    uint64_t goes;   /* which takes away so many of its events, */
    uint64_t goes_bytes;
};

struct costs {
    LIST(struct cost) regions; /* empty: not made yet */
    struct cost all;           /* sums */
};

/* When everything else is known; again is free. */
const struct costs *costs_make(struct report *r);

#endif
