/* SPDX-License-Identifier: BSD-3-Clause */
/* The call paths of the selected locations, added up by region, location and process. */
#ifndef TOOLS_REPORT_SUMS_H
#define TOOLS_REPORT_SUMS_H

#include <stdbool.h>

#include "tools/report/topics/report_profile.h"

struct report;

struct region_sum {
    uint64_t calls;
    uint64_t self;
    uint64_t on_streams; /* of `self`: time of devices, not of threads */
    uint64_t total;      /* total time; a call within a call of the same region counts once */
    uint64_t durations;  /* of all calls, for the mean */
    uint64_t min;
    uint64_t max;
    uint64_t waits[WAITS];
    uint64_t samples;   /* samples that found the region innermost */
    uint64_t sampled;   /* of `self`: time that is known only by samples */
    uint64_t n_sampled; /* number of the samples for `sampled` */
    bool is_seen;       /* the region was entered, or seen on a stack */
};

/* The time of a location or a process. */
struct spent {
    uint64_t total;
    uint64_t program;
    uint64_t idle;
    uint64_t blocked;
    uint64_t off;       /* not recorded, and in no other member */
    uint64_t shorts;    /* in short calls */
    uint64_t recording; /* of the agent, outside of calls */
    uint64_t samples;   /* samples of CPU time */
    uint64_t mpi;
    uint64_t mpi_inside; /* without the calls that begin and end MPI */
    uint64_t calls;
    uint64_t waits[WAITS];
    uint32_t top; /* region with most self time, without program and idling; NIL: no region */
    uint64_t top_self;
    uint64_t first;
    uint64_t last;
    uint32_t n_threads; /* of a process: selected locations with time in the window */
    bool is_selected;   /* of a process: as one of its locations */
    bool shares_core;   /* of a process: another rank is bound to its only processor */
    uint64_t mpi_room;  /* time of locations that call MPI */
};

/* The time of a region on a process. */
struct region_at {
    uint32_t region;
    uint32_t process;
    uint64_t self;
    uint64_t own; /* without waits caused by other locations */
};

struct sums {
    LIST(struct region_sum) regions;
    LIST(struct spent) locations;
    LIST(struct spent) processes;
    LIST(struct region_at) at;
    uint64_t total;  /* time of all selected threads */
    uint64_t off;    /* time not recorded, in addition */
    uint64_t shorts; /* in calls that were too short to be recorded one by one */
    uint64_t samples;
    size_t n_mpi; /* locations that call MPI */
    uint64_t waits[WAITS];
    size_t n_locations; /* selected locations with events */
    size_t n_processes;
    size_t n_streams; /* of the locations: streams of devices, not threads */
    size_t n_ranges;  /* of the streams: lanes of a program's ranges, without a device */
    uint32_t depth;   /* of the deepest call path */
};

void sums_make(struct report *r);

/* Time that a node waits for the given reason. */
uint64_t sums_waited(const struct report *r, uint32_t index, enum wait why);

uint64_t spent_waiting(const struct spent *s);
double percent_of(uint64_t part, uint64_t whole); /* not a number if `whole` is 0 */

#endif
