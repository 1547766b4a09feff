/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Teams of threads (OpenMP). A parallel region costs its threads' time from fork to join. Threads
 * are busy while they are members of the team and neither stand in a barrier of the team nor wait
 * for a lock. The barriers of a team of a single thread are no waiting, but cost. In programs built
 * by gcc the barrier at the end is recorded only on the forking thread: all other threads wait in
 * the barrier from the end of their part on, until the last thread of the team arrives.
 */
#ifndef TOOLS_REPORT_TEAMS_H
#define TOOLS_REPORT_TEAMS_H

#include <stdbool.h>

#include <otf2/OTF2_GlobalEvtReaderCallbacks.h>

#include "tools/base/fail.h"
#include "tools/base/list.h"
#include "tools/base/map.h"
#include "tools/report/topics/report_notes.h"
#include "tools/report/topics/report_place.h"

struct frame;
struct report;
struct stream;

/* State kept for a location (struct stream), where the location is read, */
struct membership {
    uint64_t begin;
    uint64_t in_barriers; /* of the location, so far */
    uint64_t in_mpi;
    uint32_t comm;
};

/* and by the worker of its process. */
struct fork {
    uint64_t begin;
    uint32_t region;    /* the call that forks */
    uint32_t team;      /* NIL: no thread of the team has told a note yet */
    uint32_t requested; /* threads */
};

struct seat {
    uint32_t team;
    uint64_t in_locks; /* of the location, so far */
};

/* A member has finished its part of the team. */
struct member_end {
    uint32_t location;
    uint64_t time;
};

/* An execution of a parallel region. */
struct team {
    uint64_t fork;
    uint64_t join;
    uint64_t busy;
    uint64_t busiest;
    uint64_t in_barriers;
    uint64_t in_locks;
    uint64_t in_mpi; /* of the threads other than the forking thread */
    uint64_t ends;   /* sum of the members' ends, and the last end */
    uint64_t last_end;
    uint32_t region;
    uint32_t comm;
    uint32_t process;
    uint32_t n; /* threads */
    uint32_t n_working;
    bool is_forked;
    bool is_joined;
    bool is_outside;                 /* some of its threads are not selected */
    LIST(struct member_end) members; /* kept if somebody listens */
};

/* All executions of a parallel region. */
struct parallel {
    uint32_t region;
    uint64_t calls;
    uint64_t ticks;   /* from fork to join */
    uint64_t threads; /* sum of the numbers of threads, for the average */
    uint32_t most;    /* threads */
    uint64_t room;    /* time of all threads from fork to join; 0: not known */
    uint64_t busy;
    uint64_t in_barriers;
    uint64_t in_locks;
    struct place longest;
    struct birth longest_at; /* when the longest execution was known */
    struct birth born;
    uint64_t uneven; /* time that other threads spend while the busiest thread works */
};

/* The gain of a process from its teams, for the efficiency of its threads. */
struct crew {
    uint32_t most; /* threads */
    bool is_in_mpi;
    uint64_t work;   /* busy, not in MPI */
    uint64_t forked; /* from fork to join */
    uint64_t room;   /* from fork to join, summed over all threads */
    uint64_t uneven; /* time that other threads spend while the busiest thread works */
};

struct teams {
    LIST(struct team) all;
    LIST(struct crew) crews; /* by process, up to the last process with teams */
    LIST(uint32_t) free;
    struct map current; /* (process, communicator of the team) to team */
    LIST(struct parallel) regions;
    struct map region_of;
};

/* The sums of a parallel region; a new region is added. */
struct parallel *teams_parallel(struct teams *t, uint32_t region, struct birth born);

/* Takes a note of the events of a location (report_teams.c). */
void teams_take(struct report *r, const void *data);

/* A call of a barrier of threads has just ended. */
void teams_waited(struct report *r, struct stream *s, const struct frame *frame);

void teams_register(OTF2_GlobalEvtReaderCallbacks *c);

#endif
