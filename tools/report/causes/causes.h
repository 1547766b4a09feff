/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Causes of waiting, and the critical path: results of replaying the run (topics/report_tracks.h).
 * docs/report.md has the definitions.
 */
#ifndef TOOLS_REPORT_CAUSES_H
#define TOOLS_REPORT_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/base/list.h"

struct report;

/*
 * The time of a process in a region behind a call of MPI that communicates, as a cause of waiting.
 * All numbers are those of this stretch. Ticks have no waits for other ranks.
 */
struct cause {
    uint32_t process;
    uint32_t region;   /* NIL: before its first event */
    uint32_t call;     /* region of the call of MPI, and the place of the call; NIL: no call, not */
    uint32_t site;     /* known; with `region` the call itself, `call` is NIL */
    double direct;     /* ticks of waiting of selected locations for the process itself, */
    double indirect;   /* and for other processes that had waited for the process */
    uint64_t critical; /* ticks on the critical path */
    uint64_t own;      /* all ticks */
    double others;     /* mean of `own` of the other processes; less than 0: no other process */
    uint32_t waiter;   /* node with the most waiting for the process; NIL: no waiting */
    double waited;     /* ticks */
    const char *path;  /* end of the call path to the region on which `own` is too much; no other
                          call path has the same end. NULL: a single call path, or not known */
    uint32_t head;     /* first region of `path` */
};

/* The part of a process and a region of the critical path. */
struct path_part {
    uint32_t process;
    uint32_t region; /* NIL: before its first event */
    uint64_t critical;
};

struct causes {
    LIST(struct cause) all;      /* empty: there was no room, or messages are missing */
    LIST(uint32_t) of_blame;     /* by index in r->tracks.blames: the cause */
    LIST(struct path_part) path; /* one for a process and a region */
    uint64_t length;             /* of the critical path */
    size_t n_processes;          /* processes that call MPI */
    uint64_t *in_region;         /* ticks of these processes, by region */
};

/*
 * The causes of a report whose events are read and whose sums are made; computed at the first call.
 */
const struct causes *causes_of(struct report *r);

/*
 * The cause of most of the waiting in nodes for which `is_asked` returns true. NULL: no waiting
 * there.
 */
struct because {
    const struct cause *cause;
    double ticks; /* of the waiting in the nodes */
};
struct because causes_most(struct report *r, bool (*is_asked)(const void *user, uint32_t node),
                           const void *user);

/* Sets `path` and `head` of each cause (causes_named.c). */
void causes_name(struct causes *c, const struct report *r);

/*
 * The run's greatest possible gain, in ticks, if the process took no longer there than the
 * other processes.
 */
double cause_gain(const struct cause *cause);

#endif
