/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How well the ranks use their time, as the POP centre of excellence defines it, from the end of
 * MPI_Init to the begin of MPI_Finalize: work is the time outside of MPI.
 *
 *     load balance              mean work / greatest work
 *     communication efficiency  greatest work / longest time
 *     parallel efficiency       mean work / longest time, the product of both
 *
 * Where ranks have teams of threads, the last one is that of MPI alone, and the parallel efficiency
 * is of all threads: their mean work, which is neither in MPI nor waiting in their teams, / longest
 * time. The thread efficiency is the rest, by which one is less than the other. Means of ranks then
 * count each rank as often as it has threads, which matters where teams differ in size.
 */
#ifndef TOOLS_REPORT_EFFICIENCY_H
#define TOOLS_REPORT_EFFICIENCY_H

#include <stdint.h>

struct report;

struct efficiency {
    uint32_t n;       /* ranks; with none there are no figures */
    uint32_t busiest; /* process */
    double work;      /* ticks: mean, by threads, and greatest */
    double most_work;
    double longest;
    uint64_t threads; /* of the teams of all ranks; a rank without teams has one */
    uint32_t each;    /* threads of each rank; 0: they differ */
    double thread_work;
    double thread_room; /* ticks that the threads could work: of a rank alone, of a whole team */
    double uneven;      /* ticks that others spend while the busiest of a team works */
};

struct efficiency efficiency_of(const struct report *r);

/* The same of a program without MPI that is one process: a rank that never waits for others. */
struct efficiency efficiency_without_mpi(const struct report *r);

#endif
