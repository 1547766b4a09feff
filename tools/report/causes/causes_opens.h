/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who waits for whom while files are opened. The openings of a file by one interface are compared;
 * those of a thread are one after the other, and those of several may meet.
 *
 *     One by one    An opening that is over before this one, and after this one's begin, was first:
 *                   this one may have waited for it. A file system that serves one after another
 *                   makes each opening longer than the one before. So of this one the time counts
 *                   until the last that was before it was over, but no more than what it takes
 *                   longer than the shortest of them all. Openings that are served at once take
 *                   equally long, and do not wait.
 *     Creation      The first opening of a file that may create it makes all others wait until it
 *                   is over: nobody can open the file before that.
 *     In common     All members of a communicator open it (MPI-IO). Each waits for the last one.
 */
#ifndef TOOLS_REPORT_CAUSES_OPENS_H
#define TOOLS_REPORT_CAUSES_OPENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/report/topics/report_place.h"

struct report;

/* What the openings of a file by one interface wait for each other. */
struct opens_wait {
    uint64_t handle;      /* one of the file's */
    uint64_t openings;    /* that met others, and that */
    uint64_t n;           /* waited */
    uint64_t ticks;       /* in all */
    struct place longest; /* a wait: of the location that waits, for the other one */
    uint32_t site;        /* where that is called */
    uint64_t whom_ticks;  /* the opening for which it waits took so long */
    bool is_creation;     /* which has created the file */
    bool is_collective;   /* and the other one came last, else it was first */
};

/*
 * All files whose openings wait, the one with the longest time first; to be freed. Of waiting
 * locations only those count that are selected.
 */
struct opens_wait *opens_waits(struct report *r, size_t *n);

#endif
