/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why others had to wait, and the critical path: what follows from replaying the run
 * (topics/report_tracks.h). docs/report.md has the definitions.
 */
#ifndef TOOLS_REPORT_CAUSES_H
#define TOOLS_REPORT_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/list.h"

struct report;

/* Ticks of a process somewhere, but for waits for other ranks. */
struct spent_there {
    uint64_t critical; /* on the critical path */
    uint64_t own;      /* in all */
    double others;     /* mean of `own` of the other processes; less than 0: there are none */
};

/* What a process does in a region, as a cause of waiting and as a part of the critical path. */
struct cause {
    uint32_t process;
    uint32_t region; /* NIL: before its first event */
    double direct;   /* ticks of waiting of selected locations for this process, */
    double indirect; /* and for others, which had waited for it */
    struct spent_there all;
    uint32_t call;           /* region of the call of MPI behind which most of the cost arises, */
    uint32_t site;           /* and where it is made; NIL: none, not known */
    double most;             /* that part of the cost */
    struct spent_there part; /* in the region behind this call */
    uint32_t waiter;         /* node that waits most for it; NIL: none */
    double waited;           /* ticks */
    const char *path; /* end of the call path to the region on which `part` is too much; no other
                         call path ends so. NULL: the region has one call path, or none is known */
    uint32_t head;    /* first region of `path` */
};

struct causes {
    LIST(struct cause) all;  /* none: there was no room, or messages are missing */
    LIST(uint32_t) of_blame; /* by index in r->tracks.blames: the cause */
    LIST(uint64_t) critical; /* by process: ticks on the critical path */
    uint64_t length;         /* of the critical path */
    size_t n_processes;      /* that call MPI */
};

/* Of a report that is read, and whose sums are made; made when it is asked for first. */
const struct causes *causes_of(struct report *r);

/* What costs most of the waiting in nodes that `is_asked` for. NULL: nobody waits there. */
struct because {
    const struct cause *cause;
    double ticks; /* of this waiting */
};
struct because causes_most(struct report *r, bool (*is_asked)(const void *user, uint32_t node),
                           const void *user);

/* Sets `path` and `head` of each cause (causes_named.c). */
void causes_name(struct causes *c, const struct report *r);

/* Ticks that the run may gain at most if the process took no longer in `part` than the others. */
double cause_gain(const struct cause *cause);

#endif
