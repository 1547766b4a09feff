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

/* Self time of a node. A time that is too long for a lap is divided into several laps. */
struct lap {
    uint32_t node;
    uint32_t ticks;
};

/* From a call of MPI to the next call; the first item of a location: before its first call. */
struct track_call {
    uint64_t begin;
    uint32_t node;        /* node of the call; NIL: the first item */
    uint32_t first : 31;  /* first of its laps; laps are in the order in which their nodes came */
    uint32_t is_call : 1; /* the call is entered; else an event happens inside the call */
};

struct track {
    LIST(struct track_call) calls;
    LIST(struct lap) laps;
};

struct track_wait {
    uint64_t begin;
    uint64_t end; /* when the other location releases the waiting location */
    uint32_t location;
    uint32_t other; /* location that is waited for */
    uint32_t node;  /* waiting node, as numbered by the worker that reads `location` */
    uint32_t unused;
};

/* A use of time: a call of MPI, or the program's work behind a call that communicates. */
struct activity {
    uint32_t region; /* NIL: before the first event */
    uint32_t call;   /* region of the call of MPI before; NIL: no call, or the activity is a call */
    uint32_t site;   /* call site of that call, or of the activity if the activity is a call */
};

/* Time that a node waits because of an activity of a process. */
struct blame {
    uint32_t location; /* the waiting location */
    uint32_t node;
    uint32_t process;
    struct activity activity;
    double direct;   /* ticks of waiting for the process itself, */
    double indirect; /* and for other processes that were delayed by the process */
};

/* Time of a location in an activity, without waits for other locations. */
struct stint {
    uint32_t location;
    uint32_t unused;
    struct activity activity;
    uint64_t critical; /* ticks on the critical path */
    uint64_t own;      /* all ticks */
};

enum { TRACKS_MIB = 128 }; /* the usual budget */

struct tracks {
    size_t budget; /* bytes; 0: no tracks are kept */
    size_t bytes;
    bool is_over;
    bool has_ranks; /* known before the first event */
    bool has_roles; /* calls of MPI have roles: the roles tell which calls communicate */
    bool is_brief;  /* no tracks are kept after the replay */
    LIST(struct track_wait) waits;

    /* Results of the replay. */
    LIST(struct blame) blames; /* in the order of locations */
    LIST(struct stint) stints; /* in the order of locations */
    LIST(uint32_t) callers;    /* locations that call MPI */
};

/* Whether a region counts as a call in a run without ranks. */
bool tracks_is_beat(const struct region *region);

/* Whether tracks_mark() is told of the region's calls. */
static inline bool tracks_is_mark(const struct tracks *t, const struct region *region)
{
    return region->paradigm == OTF2_PARADIGM_MPI || (!t->has_ranks && tracks_is_beat(region));
}

/*
 * The node of the last call that communicates, once the node `call` is entered: `call`, or `before`
 * if `call` is a call of MPI that communicates with nobody (MPI_Comm_size).
 */
uint32_t tracks_call(const struct report *r, uint32_t call, uint32_t before);

/* Frees the memory of a track, which may be common to ranks. */
void track_free(struct track *track);

/* When the definitions are read. */
void tracks_make(struct report *r);

/*
 * The stream enters a call of MPI. tracks_mark_event(): an event for which other locations may wait
 * happens inside the call.
 */
void tracks_mark(struct report *r, struct stream *s, uint32_t node);
void tracks_mark_event(struct report *r, struct stream *s);

/* All events of the stream are read. */
void tracks_close(struct report *r, struct stream *s);

/* After the replay: keeps only the tracks of main threads. */
void tracks_keep(struct report *r);

/* A location has waited. */
void tracks_wait(struct report *r, struct track_wait wait);

#endif
