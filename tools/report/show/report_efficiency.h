/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The efficiency of the ranks, as defined by the POP centre of excellence, from the end of MPI_Init
 * to the begin of MPI_Finalize: work is the time outside of MPI.
 *
 *     load balance              mean work / greatest work
 *     communication efficiency  greatest work / longest time
 *     parallel efficiency       mean work / longest time, the product of both
 *
 * Where ranks have teams of threads, mean work / longest time is the efficiency of MPI alone. The
 * parallel efficiency is then about all threads: mean work of a thread (neither in MPI nor waiting
 * in a team) / longest time. The thread efficiency is the quotient of the two efficiencies. Means
 * of ranks then count each rank as often as it has threads: the weights matter where teams differ
 * in size.
 */
#ifndef TOOLS_REPORT_EFFICIENCY_H
#define TOOLS_REPORT_EFFICIENCY_H

#include <stdint.h>

struct report;

struct efficiency {
    uint32_t n;       /* ranks; 0: there are no figures */
    uint32_t busiest; /* process */
    double work;      /* ticks: mean, by threads, and greatest */
    double most_work;
    double longest;
    uint64_t threads; /* of the teams of all ranks; a rank without teams counts once */
    uint32_t each;    /* threads of each rank; 0: the numbers differ */
    double thread_work;
    double thread_room; /* ticks that the threads could work: of a rank alone, of a whole team */
    double uneven;      /* ticks that other threads spend while the busiest of a team works */
};

struct efficiency efficiency_of(const struct report *r);

/*
 * The same for a program without MPI in a single process: a rank that never waits for other ranks.
 */
struct efficiency efficiency_without_mpi(const struct report *r);

#endif
