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
    uint64_t on_streams; /* of `self`: by devices, and no time of threads */
    uint64_t total;      /* calls within calls of the same region counted once */
    uint64_t durations;  /* of all calls, for the mean */
    uint64_t min;
    uint64_t max;
    uint64_t waits[WAITS];
    uint64_t samples;   /* that found it innermost */
    uint64_t sampled;   /* of `self`: what is known by samples only */
    uint64_t n_sampled; /* those samples */
    bool is_seen;       /* it was entered, or on a stack */
};

/* What a location or a process has spent. */
struct spent {
    uint64_t total;
    uint64_t program;
    uint64_t idle;
    uint64_t blocked;
    uint64_t off;       /* not recorded, and in none of the others */
    uint64_t shorts;    /* in short calls */
    uint64_t recording; /* of the agent's, outside of calls */
    uint64_t samples;   /* that stand for CPU time */
    uint64_t mpi;
    uint64_t mpi_inside; /* but for the calls that begin and end MPI */
    uint64_t calls;
    uint64_t waits[WAITS];
    uint32_t top; /* region, but for the program and idling; NIL: none */
    uint64_t top_self;
    uint64_t first;
    uint64_t last;
    uint32_t n_threads; /* of a process: locations with events */
    bool shares_core;   /* of a process: another rank is bound to its only processor */
    uint64_t mpi_room;  /* time of locations that call MPI */
};

/* Time of one region on one process. */
struct region_at {
    uint32_t region;
    uint32_t process;
    uint64_t self;
    uint64_t own; /* but for waits that somebody else is the reason for */
};

struct sums {
    LIST(struct region_sum) regions;
    LIST(struct spent) locations;
    LIST(struct spent) processes;
    LIST(struct region_at) at;
    uint64_t total;  /* time of all selected threads */
    uint64_t off;    /* that was not recorded, besides */
    uint64_t shorts; /* in calls that were too short to be recorded one by one */
    uint64_t samples;
    size_t n_mpi; /* locations that call MPI */
    uint64_t waits[WAITS];
    size_t n_locations; /* selected, with events */
    size_t n_processes;
    size_t n_streams; /* of the locations: they are of devices, and no threads */
    size_t n_ranges;  /* of the streams: lanes of a program's ranges, of no device */
    uint32_t depth;   /* of the deepest call path */
};

void sums_make(struct report *r);

/* Time that a node waits for a reason. */
uint64_t sums_waited(const struct report *r, uint32_t index, enum wait why);

uint64_t spent_waiting(const struct spent *s);
double percent_of(uint64_t part, uint64_t whole); /* not a number without a whole */

#endif
