/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tracks of locations, and the waits of locations for others. tools/report/causes replays both;
 * tools/report/iterations looks for repetition in tracks. A track has the calls of MPI of a
 * location in their order, with the time of each call path between two calls. Where no process is a
 * rank, OpenMP parallel regions and regions of the user stand for the calls of MPI. A wait ends
 * when another location releases the waiting location.
 *
 * Memory follows the number of calls of MPI: 16 bytes a call, 8 a call path between two calls,
 * 32 a wait. If all tracks and waits together need more than the budget, both are dropped, and
 * `is_over` is set: the same for any number of workers. The replay leaves its results, and
 * unless `is_brief` the tracks of main threads.
 */
#ifndef TOOLS_REPORT_TRACKS_H
#define TOOLS_REPORT_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/defs.h"
#include "tools/base/list.h"

struct report;
struct stream;

/* Time in a node, but for what it calls. What does not fit is in several laps. */
struct lap {
    uint32_t node;
    uint32_t ticks;
};

/* From the call of MPI to the next one; the first of a location: before its first call. */
struct track_call {
    uint64_t begin;
    uint32_t node;        /* of the call; NIL: the first */
    uint32_t first : 31;  /* of its laps, which are in the order in which their nodes came */
    uint32_t is_call : 1; /* it is entered; else something happens in it */
};

struct track {
    LIST(struct track_call) calls;
    LIST(struct lap) laps;
};

struct track_wait {
    uint64_t begin;
    uint64_t end; /* the other one releases it */
    uint32_t location;
    uint32_t other; /* location */
    uint32_t node;  /* in which it waits, of the worker that reads `location` */
    uint32_t unused;
};

/* What time is spent on: a call of MPI, or what the program does behind one that communicates. */
struct activity {
    uint32_t region; /* NIL: before the first event */
    uint32_t call;   /* region of the call of MPI before it; NIL: none, or it is one itself */
    uint32_t site;   /* of this call, or of the call itself */
};

/* A node waits so long because of what a process does. */
struct blame {
    uint32_t location; /* that waits */
    uint32_t node;
    uint32_t process;
    struct activity activity;
    double direct;   /* ticks of waiting for this process itself, */
    double indirect; /* and for others, which it has delayed */
};

/* Time of a location in an activity, without waits for other locations. */
struct stint {
    uint32_t location;
    uint32_t unused;
    struct activity activity;
    uint64_t critical; /* ticks on the critical path */
    uint64_t own;      /* in all */
};

enum { TRACKS_MIB = 128 }; /* the usual budget */

struct tracks {
    size_t budget; /* bytes; 0: nothing is kept */
    size_t bytes;
    bool is_over;
    bool has_ranks; /* known before the first event, */
    bool has_roles; /* of calls of MPI: which of them communicate */
    bool is_brief;  /* nothing is kept once the replay is over */
    LIST(struct track_wait) waits;

    /* By the replay. */
    LIST(struct blame) blames; /* in the order of locations */
    LIST(struct stint) stints; /* in the order of locations */
    LIST(uint32_t) callers;    /* locations that call MPI */
};

/* Whether a region counts as a call where there are no ranks. */
bool tracks_is_beat(const struct region *region);

/* Whether its calls are told by tracks_mark(). */
static inline bool tracks_is_mark(const struct tracks *t, const struct region *region)
{
    return region->paradigm == OTF2_PARADIGM_MPI || (!t->has_ranks && tracks_is_beat(region));
}

/*
 * The node of the last call that communicates, once the node `call` is entered: `call`, or `before`
 * if `call` is a call of MPI that communicates with nobody (MPI_Comm_size).
 */
uint32_t tracks_call(const struct report *r, uint32_t call, uint32_t before);

/* Its memory, which may be common to ranks. */
void track_free(struct track *track);

/* When the definitions are read. */
void tracks_make(struct report *r);

/* The stream enters this call of MPI, or does there what others may wait for. */
void tracks_mark(struct report *r, struct stream *s, uint32_t node);
void tracks_mark_event(struct report *r, struct stream *s);

/* The stream's events are all read. */
void tracks_close(struct report *r, struct stream *s);

/* When the replay is over: of the run only the tracks of main threads are kept. */
void tracks_keep(struct report *r);

/* Somebody waits. */
void tracks_wait(struct report *r, struct track_wait wait);

#endif
