/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the ranks use their time, as the POP centre of excellence defines it, from the end of
 * MPI_Init to the begin of MPI_Finalize: work is the time outside of MPI.
 *
 *     load balance              mean work / greatest work
 *     communication efficiency  greatest work / longest time
 *     parallel efficiency       mean work / longest time, the product of both
 */
#ifndef TOOLS_REPORT_EFFICIENCY_H
#define TOOLS_REPORT_EFFICIENCY_H

#include <stdint.h>

struct report;

struct efficiency {
    uint32_t n;       /* ranks; with none there are no figures */
    uint32_t busiest; /* process */
    double work;      /* ticks: mean, greatest */
    double most_work;
    double longest;
};

struct efficiency efficiency_of(const struct report *r);

#endif
