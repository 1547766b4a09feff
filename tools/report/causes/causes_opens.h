/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Waits of locations for each other while files are opened. The openings of a file by the same
 * interface are compared. The openings of a thread follow each other; the openings of several
 * threads may overlap.
 *
 *     One by one    An opening may have waited for each opening that ended between its own begin
 *                   and end. A file system that serves openings in sequence makes each opening
 *                   longer than the opening before. So the waiting time of an opening lasts until
 *                   the last earlier opening ended, but at most its own duration minus that of the
 *                   shortest opening at the same time. Openings that are served at once take
 *                   equally long, and do not wait.
 *     Creation      The first opening of a file that may create the file makes all openings at the
 *                   same time wait until its end: nobody can open the file before.
 *     In common     All members of a communicator open the file (MPI-IO). Each member waits for the
 *                   begin of the last member's opening.
 */
#ifndef TOOLS_REPORT_CAUSES_OPENS_H
#define TOOLS_REPORT_CAUSES_OPENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/report/topics/report_place.h"

struct report;

/* Waits between the openings of a file by the same interface. */
struct opens_wait {
    uint64_t handle;      /* a handle of the file */
    uint64_t openings;    /* openings that were compared */
    uint64_t n;           /* openings that waited */
    uint64_t ticks;       /* sum of all waits */
    struct place longest; /* longest wait: of the waiting location, for the location waited for */
    uint32_t site;        /* call site of the longest wait */
    uint64_t whom_ticks;  /* duration of the opening waited for */
    bool is_creation;     /* the opening waited for has created the file */
    bool is_collective;   /* of a communicator: waits for the last opening, else for the first */
};

/*
 * All files whose openings wait, the file with the longest time first; to be freed by the caller.
 * Only the waits of selected locations count.
 */
struct opens_wait *opens_waits(struct report *r, size_t *n);

#endif
